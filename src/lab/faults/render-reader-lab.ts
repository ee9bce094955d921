import type { ReaderLabReport } from './measure-reader.ts';
import { criticTables } from './render-fault-lab.ts';

/** The report as text: one line a critic with its n and intervals, then the tables of the lab. */
export function renderReaderLab({ split, seed, votes, groups, replies, results, failures }: ReaderLabReport): string {
  const lines = [
    `${failures.length} failures of ${groups} harnesses (${split}, seed ${seed}), ${votes} vote(s) each: ${replies.invalid} of ${replies.asked} votes invalid.`,
    ...replies.refusals.map((why) => `  refused: ${why}`),
    ...criticTables(results),
  ];
  return `${lines.join('\n')}\n`;
}
