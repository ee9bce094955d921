import type { FaultLabReport, FaultLabResult } from './run-fault-lab.ts';
import type { Proportion } from './score-attributions.ts';

/** The report as text, at most 80 columns wide: what was right, a table of critics, one of labels. Missing values are dashes. */
export function renderFaultLab({ kinds, results }: FaultLabReport): string {
  const counts = `Kinds of mutations: ${kinds.development.length} for development, ${kinds.heldOut.length} held out.`;
  return `${[counts, '', ...criticTables(results)].join('\n')}\n`;
}

/** Lines of what was right with 95% intervals, and of both tables. */
export function criticTables(results: readonly FaultLabResult[]): string[] {
  return [
    ...results.flatMap((result) => [
      `${named(result)}, ${result.split}: ${result.n} failures of ${result.groups} harnesses`,
      `  label right ${shown(result.labelRight)}`,
      `  component right ${shown(result.componentRight)}`,
    ]),
    '',
    row(['critic', 'split', 'macro-F1', 'component', 'undecided', 'agent errors', ''], CRITIC_WIDTHS),
    row(['', '', '', '', '', 'patched', 'calls'], CRITIC_WIDTHS),
    ...results.map((result) =>
      row(
        [
          named(result),
          result.split,
          decimal(result.macroF1),
          decimal(result.componentAccuracy),
          decimal(result.abstained),
          decimal(result.agentErrorPatched),
          String(result.cost.modelCalls),
        ],
        CRITIC_WIDTHS,
      ),
    ),
    '',
    row(['critic', 'split', 'label', 'precision', 'recall', 'n'], LABEL_WIDTHS),
    ...results.flatMap((result) =>
      result.labels.map(({ label, precision, recall, n }) =>
        row([named(result), result.split, label, decimal(precision), decimal(recall), String(n)], LABEL_WIDTHS),
      ),
    ),
  ];
}

function named({ critic, replay, actor }: FaultLabResult): string {
  return `${critic}${replay ? ' + replay' : ''} (${actor})`;
}

function shown({ right, n, share, low, high }: Proportion): string {
  return share === null
    ? 'nothing to judge'
    : `${right} of ${n} (${percent(share)}, 95% ${percent(low)} to ${percent(high)})`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)}%`;
}

const CRITIC_WIDTHS = [27, 12, 9, 10, 10, 13, 5];
const LABEL_WIDTHS = [27, 12, 20, 10, 7, 4];

function row(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, index) => fitted(cell, widths[index] ?? 10))
    .join('')
    .trimEnd();
}

/** Names of readers hold whole command lines. */
function fitted(cell: string, width: number): string {
  return cell.length < width ? cell.padEnd(width) : `${cell.slice(0, width - 2)}… `;
}

function decimal(value: number | null): string {
  return value === null ? '–' : value.toFixed(2);
}
