import type { Harness } from '../../harness/harness.ts';
import type { PatchEdit } from '../../harness/patch-edit.ts';
import { stepsUnder } from '../demonstrations.ts';
import { examplePath, exampleText, fileEdit, present, valueEdit } from '../harness-edits.ts';
import type { PatchOperator } from '../patch-operator.ts';

/** Lets the value of the last successful call be the answer, or the final text again. */
export const answerSource: PatchOperator = {
  name: 'answer-source',
  reach: (cluster, harness) => {
    if (cluster === null && harness.tools.length === 0) return 0;
    if (cluster === null) return harness.settings.answer.from === 'text' ? 0.35 : 0.05;
    if (harness.settings.answer.from === 'tool') return 0;
    const cures = [
      'answer-among-others',
      'answer-not-tool-value',
      'no-answer-beside-tool-value',
      'turn-limit-on-call',
      'identical-repeat',
    ];
    return cures.includes(cluster.mechanism)
      ? 0.8
      : cluster.mechanism === 'cut-by-length' || cluster.mechanism === 'no-answer'
        ? 0.2
        : 0;
  },
  propose: ({ harness }) => {
    const from = harness.settings.answer.from === 'text' ? 'tool' : 'text';
    return [
      {
        title: from === 'tool' ? 'take the last tool value as the answer' : 'take the final text as the answer',
        edits: [...present([valueEdit(harness, 'harness.yaml', '/answer/from', from)]), ...shownUnder(harness, from)],
        component: 'settings',
        probe: { kind: 'setting-changed' },
        promise: 1,
      },
    ];
  },
};

/** Examples as a rollout would go under the other source; those that cannot be shown so stay as they are. */
function shownUnder(harness: Harness, from: 'text' | 'tool'): PatchEdit[] {
  return present(
    harness.examples.map((example) => {
      const steps = stepsUnder(from, example.steps);
      return steps === null || JSON.stringify(steps) === JSON.stringify(example.steps)
        ? null
        : fileEdit(harness, examplePath(example), exampleText({ ...example, steps }));
    }),
  );
}
