import type { Trajectory } from '../../trajectory/trajectory.ts';
import { type EventOf, eventsOf, evidence, isFollowedBy, modelCallOf } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';
import { toolNames } from '../tool-names.ts';

/** A reply without a readable call that still writes one in another common form: function syntax, tags, a code block, JSON. */
export const callInOtherForm = evidenceRule('call-in-other-form', 'tool_schema_error', (trajectory, harness) => {
  const reply = replyWithoutCall(trajectory).find(
    (event) => foreignCall(event.text, toolNames(trajectory, harness)) !== null,
  );
  if (reply === undefined) return null;
  return {
    component: 'settings',
    path: 'harness.yaml#/protocol/dialect',
    explanation: 'The model writes calls, in a form that the harness does not read.',
    severity: 1,
    confidence: 0.8,
    evidence: [evidence(reply, foreignCall(reply.text, toolNames(trajectory, harness)) ?? '')],
  };
});

/** Replies of turns that the loop marked as having no call, with no tool value after them. */
export function replyWithoutCall(trajectory: Trajectory): EventOf<'model-called'>[] {
  return eventsOf(trajectory, 'no-call')
    .filter((event) => !isFollowedBy(trajectory, event, 'tool-returned'))
    .flatMap((event) => modelCallOf(trajectory, event.turn) ?? []);
}

function foreignCall(text: string, names: readonly string[]): string | null {
  for (const name of names) {
    const tool = RegExp.escape(name);
    const forms = [
      `\\b${tool}\\s*\\([^)\\n]+\\)`,
      `<${tool}>[\\s\\S]*?(</|$)`,
      `"${tool}"\\s*[,:]`,
      `\`\`\`${tool}\\b`,
    ];
    for (const form of forms) {
      const found = new RegExp(form).exec(text);
      if (found !== null) return found[0];
    }
  }
  return null;
}
