import { evidence, lastEventOf } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** The protocol worked from end to end and the value is wrong: the model's own reasoning. Abstains, so that no patch follows. */
export const wrongValue = evidenceRule('wrong-value', 'agent_error', (trajectory) => {
  const last =
    lastEventOf(trajectory, 'tool-returned') ??
    lastEventOf(trajectory, 'answered') ??
    lastEventOf(trajectory, 'model-called') ??
    trajectory.events.at(-1);
  if (last === undefined) return null;
  const quote =
    last.type === 'tool-returned'
      ? `${last.call.tool}(${JSON.stringify(last.call.arguments)}) = ${last.value}`
      : last.type === 'answered'
        ? (last.answer ?? '(no answer)')
        : last.type === 'model-called'
          ? last.text
          : last.type;
  return {
    component: null,
    path: null,
    explanation: 'Calls, arguments and answer went through as the harness means them to; the value is wrong.',
    severity: 1,
    confidence: 0.6,
    evidence: [evidence(last, quote)],
  };
});
