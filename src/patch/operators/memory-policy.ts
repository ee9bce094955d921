import { present, valueEdit } from '../harness-edits.ts';
import type { OperatorContext, PatchDraft, PatchOperator } from '../patch-operator.ts';

const CURES: Readonly<Record<string, number>> = {
  'history-fills-window': 0.4,
  'history-trimmed': 0.6,
  'shortened-result-missed': 0.5,
};
/** Tokens that what stands for dropped turns may take, at most. */
const MOST_KEPT_TOKENS = 200;

/** Keeps something of what the history drops: notes, passages that are found again, a summary, or the exchanges without their bulk. */
export const memoryPolicy: PatchOperator = {
  name: 'memory-policy',
  reach: (cluster) => (cluster === null ? 0 : (CURES[cluster.mechanism] ?? 0)),
  propose: (context) => {
    const { memory } = context.harness;
    const tokens = Math.max(
      16,
      Math.min(MOST_KEPT_TOKENS, Math.floor((memory.historyTokens ?? 4 * MOST_KEPT_TOKENS) / 4)),
    );
    const found = memory.retrieval.passages > 0;
    return [
      ...(memory.evict === 'oldest'
        ? [
            edited(context, {
              title: 'shorten large results before turns are dropped',
              pointer: '/evict',
              value: 'largest-result',
              action: 'shortened',
              promise: 1,
            }),
          ]
        : []),
      ...(found
        ? []
        : [
            edited(context, {
              title: 'find passages of dropped turns again',
              pointer: '/retrieval',
              value: { passages: 2, tokens },
              action: 'recalled',
              promise: 0.9,
            }),
          ]),
      ...(memory.notes.tokens > 0
        ? []
        : [
            edited(context, {
              title: 'let the model keep notes',
              pointer: '/notes',
              value: { tokens },
              action: 'noted',
              promise: 0.6,
            }),
          ]),
      ...(memory.summary.tokens > 0
        ? []
        : [
            // A summary is a model call more, on top of the turns.
            {
              ...edited(context, {
                title: 'sum up turns before they are dropped',
                pointer: '/summary',
                value: { tokens },
                action: 'summarised',
                promise: 0.7,
              }),
              relaxes: ['turns' as const],
            },
          ]),
    ].filter(({ edits }) => edits.length > 0);
  },
};

function edited(
  { harness }: OperatorContext,
  {
    title,
    pointer,
    value,
    action,
    promise,
  }: { title: string; pointer: string; value: unknown; action: string; promise: number },
): PatchDraft {
  return {
    title,
    edits: present([valueEdit(harness, 'memory.yaml', pointer, value)]),
    component: 'memory',
    probe: { kind: 'event-seen', event: 'memory-acted', action },
    promise,
  };
}
