import { evidence, lastEventOf } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** The rollout ended of its own will and the final text holds nothing that can be read as an answer. */
export const noAnswer = evidenceRule('no-answer', 'prompt_ambiguity', (trajectory) => {
  if (trajectory.outcome.kind !== 'scored' || trajectory.outcome.extracted !== null) return null;
  const last =
    lastEventOf(trajectory, 'answered') ?? lastEventOf(trajectory, 'model-called') ?? trajectory.events.at(-1);
  if (last === undefined) return null;
  return {
    component: 'prompt',
    path: 'prompts/system.md',
    explanation: 'No answer could be read from the final text: the instructions do not say how an answer looks.',
    severity: 0.9,
    confidence: 0.75,
    evidence: [
      evidence(
        last,
        last.type === 'answered'
          ? (last.answer ?? '(no answer)')
          : last.type === 'model-called'
            ? last.text
            : last.type,
      ),
    ],
  };
});
