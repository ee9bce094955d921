import { canonicalJson } from '../../base/content-hash.ts';
import { pointerStep, valueAt } from '../../base/json-pointer.ts';
import type { CaseRun } from '../cases/case.ts';
import { type CaseRule, type Clue, harnessEvent, placeOf, quoteOf } from './case-rule.ts';

const MOST_DIFFERENCES = 4;

/** Places where the harness of every failing run differs from that of every passing run: what changed is what broke. */
export const harnessDifference: CaseRule = {
  name: 'harness-difference',
  clues: ({ failing, passing }) => {
    const [bad] = failing;
    const [good] = passing;
    if (bad === undefined || good === undefined) return [];
    const paths = leavesThatDiffer(bad.harness, good.harness, '').filter((path) => separates(path, failing, passing));
    if (paths.length === 0 || paths.length > MOST_DIFFERENCES) return [];
    return paths.map((path): Clue => {
      const [old, fresh] = [valueAt(bad.harness, path), valueAt(good.harness, path)];
      return {
        ...placeOf(path),
        path,
        mechanism: 'differs-from-passing-runs',
        explanation: `Runs that fail and runs that pass differ in ${path}.`,
        weight: 3.5 / paths.length + 0.5,
        evidence: [quoteOf(harnessEvent(bad, path), shown(old)), quoteOf(harnessEvent(good, path), shown(fresh))],
        repair: [{ path, old: old ?? null, new: fresh ?? null }],
      };
    });
  },
};

function separates(path: string, failing: readonly CaseRun[], passing: readonly CaseRun[]): boolean {
  const values = (runs: readonly CaseRun[]) =>
    new Set(runs.map(({ harness }) => canonicalJson(valueAt(harness, path) ?? null)));
  const bad = values(failing);
  return [...values(passing)].every((value) => !bad.has(value));
}

function leavesThatDiffer(left: unknown, right: unknown, path: string): string[] {
  if (canonicalJson(left ?? null) === canonicalJson(right ?? null)) return [];
  const areObjects = typeof left === 'object' && left !== null && typeof right === 'object' && right !== null;
  if (!areObjects || Array.isArray(left) !== Array.isArray(right)) return [path];
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].flatMap((key) =>
    leavesThatDiffer(
      (left as Record<string, unknown>)[key],
      (right as Record<string, unknown>)[key],
      `${path}${pointerStep(key)}`,
    ),
  );
}

function shown(value: unknown): string {
  return value === undefined ? '(absent)' : typeof value === 'string' ? value : JSON.stringify(value);
}
