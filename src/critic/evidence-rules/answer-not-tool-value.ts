import { evidence, holdsWord, isSameValue, lastEventOf } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** The final text gives the last tool value, and another one was read from it: nothing says how the answer has to stand there. */
export const answerAmongOthers = evidenceRule('answer-among-others', 'prompt_ambiguity', (trajectory) => {
  const returned = lastEventOf(trajectory, 'tool-returned');
  const answered = lastEventOf(trajectory, 'answered');
  if (returned === undefined || answered?.from !== 'text' || trajectory.outcome.kind !== 'scored') return null;
  const { extracted } = trajectory.outcome;
  if (extracted === null || answered.answer === null || isSameValue(extracted, returned.value)) return null;
  // A number of the task may stand in the text for itself.
  if (!holdsWord(answered.answer, returned.value) || holdsWord(trajectory.problem, returned.value)) return null;
  return {
    component: 'prompt',
    path: 'prompts/system.md',
    explanation: `The final text gives the tool value, but ${extracted} was read from it: the instructions do not say how the answer has to stand there.`,
    severity: 0.8,
    confidence: 0.75,
    evidence: [evidence(returned, returned.value), evidence(answered, answered.answer)],
  };
});

/** A tool gave a value, the answer was taken from the final text, and the text says something else. */
export const answerNotToolValue = evidenceRule('answer-not-tool-value', 'middleware_mismatch', (trajectory) => {
  const returned = lastEventOf(trajectory, 'tool-returned');
  const answered = lastEventOf(trajectory, 'answered');
  if (returned === undefined || answered?.from === 'tool' || trajectory.outcome.kind !== 'scored') return null;
  const { extracted } = trajectory.outcome;
  if (extracted === null || isSameValue(extracted, returned.value)) return null;
  return {
    component: 'settings',
    path: 'harness.yaml#/answer/from',
    explanation:
      'The final text answers something else than the last tool value: the loop asks the model to copy what it already has.',
    severity: 0.8,
    confidence: 0.7,
    evidence: [
      evidence(returned, returned.value),
      ...(answered === undefined ? [] : [evidence(answered, answered.answer ?? '(no answer)')]),
    ],
  };
});

/** A tool gave a value, and the final text holds nothing that can be read as an answer: nothing says what an answer looks like. */
export const noAnswerBesideToolValue = evidenceRule('no-answer-beside-tool-value', 'prompt_ambiguity', (trajectory) => {
  const returned = lastEventOf(trajectory, 'tool-returned');
  const answered = lastEventOf(trajectory, 'answered');
  if (returned === undefined || answered?.from === 'tool' || trajectory.outcome.kind !== 'scored') return null;
  if (trajectory.outcome.extracted !== null) return null;
  return {
    component: 'prompt',
    path: 'prompts/system.md',
    explanation:
      'A tool had returned a value, but the final text holds no answer: the instructions do not say how an answer looks.',
    severity: 0.8,
    confidence: 0.8,
    evidence: [
      evidence(returned, returned.value),
      ...(answered === undefined ? [] : [evidence(answered, answered.answer ?? '(no answer)')]),
    ],
  };
});
