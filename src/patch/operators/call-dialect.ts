import { dialectName, otherDialects } from '../call-dialects.ts';
import type { PatchOperator } from '../patch-operator.ts';
import { dialectEdits } from './dialect-edits.ts';

const CURES: Readonly<Record<string, number>> = {
  'call-unreadable': 0.7,
  'call-in-other-form': 0.7,
  'cut-in-call': 0.5,
  'no-call': 0.25,
  'narrated-call': 0.3,
  'misnamed-argument': 0.5,
  'missing-argument': 0.4,
  'unknown-tool': 0.3,
};

/** Another way to write calls; examples follow because they keep calls as data. */
export const callDialect: PatchOperator = {
  name: 'call-dialect',
  reach: (cluster, harness) => {
    return cluster === null ? (harness.tools.length > 0 ? 0.3 : 0) : (CURES[cluster.mechanism] ?? 0);
  },
  propose: ({ harness }) =>
    otherDialects(harness).map((dialect, rank) => ({
      title: `write calls as ${dialectName(dialect)}`,
      edits: dialectEdits(harness, dialect),
      component: 'settings',
      probe: { kind: harness.examples.length > 0 ? 'prompt-changed' : 'setting-changed' },
      promise: 1 / (1 + rank / 2),
    })),
};
