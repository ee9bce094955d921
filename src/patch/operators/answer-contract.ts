import { fileEdit, present } from '../harness-edits.ts';
import type { PatchOperator } from '../patch-operator.ts';

const CURES: Readonly<Record<string, number>> = {
  'no-answer': 0.5,
  'no-answer-beside-tool-value': 0.5,
  'answer-among-others': 0.6,
  'answer-not-tool-value': 0.4,
  'cut-by-length': 0.3,
  'turn-limit-on-call': 0.3,
};

const CONTRACTS = [
  'When you have the result, reply with it and nothing else.',
  'When a tool has returned what was asked for, reply with exactly that value.',
];

/** States what a final reply looks like. */
export const answerContract: PatchOperator = {
  name: 'answer-contract',
  reach: (cluster) => (cluster === null ? 0 : (CURES[cluster.mechanism] ?? 0)),
  propose: ({ harness }) => {
    const system = harness.prompts.system ?? '';
    return CONTRACTS.filter(
      (contract, rank) => !system.includes(contract) && (rank === 0 || harness.tools.length > 0),
    ).map((contract, rank) => ({
      title: `state the answer contract: "${contract}"`,
      edits: present([fileEdit(harness, 'prompts/system.md', `${system.trim()}\n${contract}\n`.trimStart())]),
      component: 'prompt',
      probe: { kind: 'prompt-changed' },
      promise: 1 - rank * 0.1,
    }));
  },
};
