import type { Harness } from '../../harness/harness.ts';
import type { Trajectory } from '../../trajectory/trajectory.ts';
import { eventsOf, evidence, isSameValue, lastEventOf } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/**
 * The answer is taken from another place than φ works towards: the text where the calls are the product, or a tool's first value where
 * examples go on to a text.
 */
export const answerSourceMisfit = evidenceRule('answer-source-misfit', 'middleware_mismatch', (trajectory, harness) => {
  const answered = lastEventOf(trajectory, 'answered');
  const { from } = harness.settings.answer;
  const why = from === 'text' ? textInsteadOfTool(trajectory, harness) : toolInsteadOfText(trajectory, harness);
  if (answered === undefined || why === null) return null;
  const returned = lastEventOf(trajectory, 'tool-returned');
  return {
    component: 'settings',
    path: 'harness.yaml#/answer/from',
    mechanism: from === 'text' ? 'answer-from-text' : 'answer-from-tool',
    explanation: why,
    severity: 0.9,
    confidence: 0.85,
    evidence: [
      ...(returned === undefined ? [] : [evidence(returned, returned.value)]),
      evidence(answered, `answer from ${answered.from}: ${answered.answer ?? '(none)'}`),
    ],
    repair: [{ path: 'harness.yaml#/answer/from', old: from, value: from === 'text' ? 'tool' : 'text' }],
  };
});

function textInsteadOfTool(trajectory: Trajectory, { tools, examples }: Harness): string | null {
  const returned = eventsOf(trajectory, 'tool-returned');
  if (returned.length === 0) return null;
  const isRecorded = ({ call, value }: (typeof returned)[number]) =>
    (value === 'recorded' && tools.some(({ name, backend }) => name === call.tool && backend.kind === 'record')) ||
    (value === 'recorded' && !tools.some(({ name }) => name === call.tool));
  if (returned.every(isRecorded))
    return 'The calls themselves are the product, and the answer is taken from the text after them.';
  const endOnCall = examples.length > 0 && examples.every(({ steps }) => steps.at(-1)?.call !== undefined);
  const { outcome } = trajectory;
  const isLost =
    outcome.kind === 'scored' &&
    (outcome.extracted === null || !returned.some(({ value }) => isSameValue(value, outcome.extracted ?? '')));
  return endOnCall && isLost
    ? 'Every example ends with a call, and the answer is taken from a text that none of them shows.'
    : null;
}

function toolInsteadOfText(trajectory: Trajectory, { examples, tools, prompts }: Harness): string | null {
  const called = eventsOf(trajectory, 'call-parsed');
  if (called.length === 0 || tools.some(({ backend }) => backend.kind === 'record')) return null;
  const goOn = examples.filter(
    ({ steps }) =>
      steps.filter(({ call }) => call !== undefined).length > 1 || steps.some(({ text }) => text !== undefined),
  );
  if (goOn.length > 0 && goOn.length * 2 >= examples.length)
    return 'Examples go on after the first value, and that value is taken as the answer.';
  const tellsToReply =
    /\b(when|once|after)\b[^.\n]*\b(know|have|got|result|value|answer|done)\b[^.\n]*\b(reply|answer|respond|say|write|give)\b/i.test(
      prompts.system ?? '',
    );
  return tellsToReply && examples.length === 0
    ? 'The instructions ask for a final reply, and a tool value is taken as the answer before it.'
    : null;
}
