import type { PatchOperator } from '../patch-operator.ts';
import { present, valueEdit } from '../harness-edits.ts';

/** Lets the value of the last successful call be the answer, or the final text again. */
export const answerSource: PatchOperator = {
  name: 'answer-source',
  reach: (cluster, harness) => {
    if (harness.tools.length === 0) return 0;
    if (cluster === null) return harness.settings.answer.from === 'text' ? 0.35 : 0.05;
    if (harness.settings.answer.from === 'tool') return 0;
    const cures = ['answer-not-tool-value', 'no-answer-beside-tool-value', 'turn-limit-on-call', 'identical-repeat'];
    return cures.includes(cluster.mechanism) ? 0.8 : cluster.mechanism === 'cut-by-length' || cluster.mechanism === 'no-answer' ? 0.2 : 0;
  },
  propose: ({ harness }) => {
    const from = harness.settings.answer.from === 'text' ? 'tool' : 'text';
    return [
      {
        title: from === 'tool' ? "take the last tool value as the answer" : 'take the final text as the answer',
        edits: present([valueEdit(harness, 'harness.yaml', '/answer/from', from)]),
        component: 'settings',
        probe: { kind: 'setting-changed' },
        promise: 1,
      },
    ];
  },
};
