import type { RepairReport } from './repair-loop.ts';

/** One line a broken harness, and the share that was mended. */
export function renderRepairs({ split, mutations, restored, share, repairs }: RepairReport): string {
  const lines = repairs.map(
    ({ scenario, kind, path, intact, broken, repaired, accepted }) =>
      `${scenario}: ${kind} at ${path}: ${percent(intact)} → ${percent(broken)} → ${percent(repaired)}; ${accepted.join('; ') || 'nothing accepted'}`,
  );
  const summary = `${restored} of ${mutations} (${share === null ? '–' : percent(share)}) ${split} mutations that cost at least 20 points: at least 90% of the loss restored within 5 iterations.`;
  return `${[...lines, '', summary].join('\n')}\n`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}
