import { fileEdit, present, valueEdit } from '../harness-edits.ts';
import type { PatchOperator } from '../patch-operator.ts';
import { callFormText } from './dialect-edits.ts';

const CURES: Readonly<Record<string, number>> = {
  'call-unreadable': 0.4,
  'tool-failed': 0.4,
  'missing-argument': 0.4,
  'misnamed-argument': 0.4,
  'extra-argument': 0.4,
  'unfit-argument-value': 0.4,
  'unknown-tool': 0.3,
};

/** Answers a bad call with what was wrong and how a call is written, and lets the model try again within the turn limit. */
export const errorFeedback: PatchOperator = {
  name: 'error-feedback',
  reach: (cluster) => (cluster === null ? 0 : (CURES[cluster.mechanism] ?? 0)),
  propose: ({ harness }) => {
    const feedback = harness.prompts['error-feedback'] ?? '';
    const instruction = callFormText(harness, harness.settings.protocol.dialect);
    const retries = present([
      valueEdit(harness, 'retry.yaml', '/parseErrors', Math.max(2, harness.retry.parseErrors + 1)),
      valueEdit(harness, 'retry.yaml', '/toolErrors', Math.max(2, harness.retry.toolErrors + 1)),
    ]);
    const shown = present([
      fileEdit(harness, 'prompts/error-feedback.md', `${feedback.trim()}\n${instruction}\n`.trimStart()),
    ]);
    return [
      ...(feedback.includes(instruction)
        ? []
        : [
            {
              title: 'show how a call is written when one fails',
              edits: shown,
              component: 'prompt' as const,
              probe: { kind: 'prompt-changed' as const },
              promise: 1,
            },
          ]),
      {
        title: 'let a failed call be tried again',
        edits: mergedFileEdits(retries),
        component: 'retry' as const,
        probe: { kind: 'setting-changed' as const },
        promise: 0.7,
      },
    ];
  },
};

/** Two additions of the same missing file are one file. */
function mergedFileEdits(edits: ReturnType<typeof present>): ReturnType<typeof present> {
  const whole = edits.filter(({ path }) => !path.includes('#'));
  if (whole.length < 2) return edits;
  const [first] = whole as [(typeof whole)[number]];
  return [{ path: first.path, value: whole.map(({ value }) => String(value)).join('') }];
}
