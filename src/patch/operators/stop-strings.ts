import type { Harness } from '../../harness/harness.ts';
import { present, valueEdit } from '../harness-edits.ts';
import type { PatchOperator } from '../patch-operator.ts';

/** Ends a working turn where the call ends, or takes stop strings away that empty turns. */
export const stopStrings: PatchOperator = {
  name: 'stop-strings',
  reach: (cluster, harness) => {
    if (['stop-text-empties-turn', 'stop-cuts-reply'].includes(cluster?.mechanism ?? '')) return 0.9;
    if (cluster !== null && hasForeignStop(harness)) return cluster.component === 'memory' ? 0 : 0.35;
    if (harness.examples.length === 0) return 0;
    if (cluster === null) return 0.25;
    return ['invented-observation', 'cut-by-length', 'cut-in-call'].includes(cluster.mechanism) ? 0.4 : 0;
  },
  propose: ({ harness, clusters }) => {
    const { stop, dialect } = harness.settings.protocol;
    const empties = clusters.some(({ mechanism }) => mechanism === 'stop-text-empties-turn');
    const candidates: { value: string[]; title: string; promise: number }[] =
      empties || hasForeignStop(harness)
        ? [{ value: [], title: 'remove the stop strings', promise: 1 }]
        : [
            {
              value: [...stop, '\n'],
              title: 'end a working turn at the end of its line',
              promise: dialect.kind === 'fenced' ? 0.1 : 0.8,
            },
            { value: [...stop, '\n\n'], title: 'end a working turn at an empty line', promise: 0.6 },
          ];
    return candidates
      .filter(({ value }) => new Set(value).size === value.length)
      .map(({ value, title, promise }) => ({
        title,
        edits: present([valueEdit(harness, 'harness.yaml', '/protocol/stop', value)]),
        component: 'settings',
        probe: { kind: 'setting-changed' },
        promise,
      }));
  },
};

/** A stop string that is not the end of a call cuts something else. */
function hasForeignStop({ settings, tools }: Harness): boolean {
  const { stop, dialect } = settings.protocol;
  const closing = new Set(tools.map(({ name }) => dialect.close.replaceAll('{tool}', name)).concat(dialect.close));
  return stop.some((text) => !closing.has(text));
}
