import type { HarnessMiddleware } from '../../harness/harness.ts';
import { present, valueEdit } from '../harness-edits.ts';
import type { PatchDraft, PatchOperator } from '../patch-operator.ts';
import { hookAt } from './middleware-mechanisms.ts';

/** Numbers of each kind that say how soon it acts; twice as many let more through before it does. */
const LIMITS: Readonly<Record<string, readonly string[]>> = {
  'loop-breaker': ['runs'],
  'output-cap': ['headCharacters', 'tailCharacters'],
  'context-trimming': ['aboveTokens', 'characters'],
};
const CURES: Readonly<Record<string, number>> = {
  'hook-hid-result': 0.5,
  'hook-hid-value': 0.6,
  'hook-stopped-call': 0.4,
};

/** Lets a middleware act later where what it held back is missed. */
export const middlewareLimit: PatchOperator = {
  name: 'middleware-limit',
  reach: (cluster) => (cluster === null ? 0 : (CURES[cluster.mechanism] ?? 0)),
  propose: ({ harness, clusters }) =>
    harness.middleware
      .filter(({ id }) => clusters.some((cluster) => (CURES[cluster.mechanism] ?? 0) > 0 && hookAt(cluster) === id))
      .flatMap((middleware): PatchDraft[] => {
        const options = doubled(middleware);
        const file = `middleware/${middleware.id}.yaml`;
        if (options.length === 0) return [];
        const edits = options.map(([name, value]) => valueEdit(harness, file, `/options/${name}`, value));
        const isNew = edits.some((edit) => edit?.path === `${file}#/options`);
        return [
          {
            title: `let ${middleware.id} act later: ${options.map(([name, value]) => `${name} ${value}`).join(', ')}`,
            edits: isNew
              ? present([valueEdit(harness, file, '/options', Object.fromEntries(options))])
              : present(edits),
            component: 'middleware',
            probe: { kind: 'setting-changed' },
            promise: 1,
          },
        ];
      }),
};

function doubled({ kind, options }: HarnessMiddleware): [string, number][] {
  const numbers = options as Readonly<Record<string, unknown>>;
  return (LIMITS[kind] ?? []).flatMap((name): [string, number][] => {
    const value = numbers[name];
    return typeof value === 'number' ? [[name, Math.max(1, value * 2)]] : [];
  });
}
