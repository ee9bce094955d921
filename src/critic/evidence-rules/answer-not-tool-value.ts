import { evidence, isSameValue, lastEventOf } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** A tool gave a value, the answer was taken from the final text, and the text says something else or holds no answer. */
export const answerNotToolValue = evidenceRule('answer-not-tool-value', 'prompt_ambiguity', (trajectory) => {
  const returned = lastEventOf(trajectory, 'tool-returned');
  const answered = lastEventOf(trajectory, 'answered');
  if (returned === undefined || answered?.from === 'tool' || trajectory.outcome.kind !== 'scored') return null;
  const { extracted } = trajectory.outcome;
  if (extracted !== null && isSameValue(extracted, returned.value)) return null;
  return {
    component: 'settings',
    path: 'harness.yaml#/answer/from',
    mechanism: extracted === null ? 'no-answer-beside-tool-value' : 'answer-not-tool-value',
    explanation:
      extracted === null
        ? 'A tool had returned a value, but the final text holds no answer.'
        : 'The final text answers something else than the last tool value: no contract says which of the two counts.',
    severity: 0.8,
    confidence: extracted === null ? 0.85 : 0.7,
    evidence: [
      evidence(returned, returned.value),
      ...(answered === undefined ? [] : [evidence(answered, answered.answer ?? '(no answer)')]),
    ],
  };
});
