import { hasField } from '../../harness/template-fields.ts';
import type { Trajectory } from '../../trajectory/trajectory.ts';
import { eventsOf, evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';
import { holds, requestAfter, sentText } from '../sent-text.ts';

/** A tool returned a value, or a call failed, and the next request says nothing of it: the model could not go on from there. */
export const resultNotShown = evidenceRule('result-not-shown', 'prompt_ambiguity', (trajectory, harness) => {
  const lost = lostResult(trajectory) ?? lostProblem(trajectory);
  if (lost === null) return null;
  const template = harness.prompts[lost.prompt] ?? '';
  if (hasField(template, lost.field)) return null;
  return {
    component: 'prompt',
    path: `prompts/${lost.prompt}.md`,
    mechanism: lost.prompt === 'tool-result' ? 'result-not-shown' : 'error-not-shown',
    explanation: `What came of the call is not part of the next request: prompts/${lost.prompt}.md leaves it out.`,
    severity: 1,
    confidence: 0.95,
    evidence: [
      evidence(lost.event, lost.text),
      evidence(lost.next, lost.next.messages.at(-1)?.content || '(empty message)'),
    ],
    repair: [
      {
        path: `prompts/${lost.prompt}.md`,
        old: template,
        value: `${template.trim()}\n{{${lost.field}}}\n`.trimStart(),
      },
    ],
  };
});

function lostResult(trajectory: Trajectory) {
  for (const event of eventsOf(trajectory, 'tool-returned')) {
    const next = requestAfter(trajectory, event.turn);
    if (
      next === undefined ||
      event.value.trim() === '' ||
      holds(sentText(next), event.value) ||
      wasTrimmed(trajectory, next.turn)
    )
      continue;
    return { event, next, text: event.value, prompt: 'tool-result', field: 'result' };
  }
  return null;
}

function lostProblem(trajectory: Trajectory) {
  for (const event of trajectory.events) {
    if (event.type !== 'tool-refused' && event.type !== 'tool-failed' && event.type !== 'call-unreadable') continue;
    const next = requestAfter(trajectory, event.turn);
    if (next === undefined || holds(sentText(next), event.problem) || wasTrimmed(trajectory, next.turn)) continue;
    return { event, next, text: event.problem, prompt: 'error-feedback', field: 'problem' };
  }
  return null;
}

function wasTrimmed(trajectory: Trajectory, turn: number): boolean {
  return eventsOf(trajectory, 'history-trimmed').some((event) => event.turn === turn);
}
