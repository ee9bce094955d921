import type { Proportion, ReaderLabReport } from './measure-reader.ts';
import { criticTables } from './render-fault-lab.ts';

/** The report as text: one line a critic with its n and intervals, then the tables of the lab. */
export function renderReaderLab({ split, seed, votes, groups, replies, results, failures }: ReaderLabReport): string {
  const lines = [
    `${failures.length} failures of ${groups} harnesses (${split}, seed ${seed}), ${votes} vote(s) each: ${replies.invalid} of ${replies.asked} votes invalid.`,
    ...replies.refusals.map((why) => `  refused: ${why}`),
    '',
    ...results.map(
      ({ critic, labelRight, componentRight }) =>
        `${critic}: label ${shown(labelRight)}, component ${shown(componentRight)}`,
    ),
    '',
    ...criticTables(results),
  ];
  return `${lines.join('\n')}\n`;
}

function shown({ right, n, share, low, high }: Proportion): string {
  return share === null
    ? 'nothing to judge'
    : `${right} of ${n} (${percent(share)}, 95% ${percent(low)} to ${percent(high)})`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)}%`;
}
