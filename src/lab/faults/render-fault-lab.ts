import type { FaultSplit } from './fault-catalogues.ts';
import type { FaultLabReport, FaultLabResult } from './run-fault-lab.ts';
import type { Proportion } from './score-attributions.ts';

/** The report as text, tables at most 80 columns wide. Missing values are dashes. */
export function renderFaultLab({ kinds, results }: FaultLabReport): string {
  const counts = `Kinds of mutations: ${kinds.development.length} for development, ${kinds.heldOut.length} held out.`;
  return `${[counts, ...criticTables(results)].join('\n')}\n`;
}

const SPLIT_TITLES: Readonly<Record<FaultSplit, string>> = {
  development: 'Development kinds',
  heldOut: 'Held-out kinds',
};

/** Lines of each split: what was right with 95% intervals, a table of critics, one of labels. */
export function criticTables(results: readonly FaultLabResult[]): string[] {
  return [...Map.groupBy(results, ({ split }) => split)].flatMap(([split, own]) => [
    '',
    SPLIT_TITLES[split],
    ...own.flatMap((result) => [
      `  ${named(result)}: ${result.n} failures of ${result.groups} harnesses`,
      `    label right ${shown(result.labelRight)}`,
      `    component right ${shown(result.componentRight)}`,
    ]),
    '',
    row(['', '', '', '', 'agent errors', 'model'], CRITIC_WIDTHS),
    row(['critic', 'macro-F1', 'component', 'undecided', 'patched', 'calls'], CRITIC_WIDTHS),
    ...own.map((result) => row([named(result), ...numbersOf(result)], CRITIC_WIDTHS)),
    '',
    row(['critic', 'label', 'precision', 'recall', 'n'], LABEL_WIDTHS),
    ...own.flatMap((result) =>
      result.labels.map(({ label, precision, recall, n }) =>
        row([named(result), label, decimal(precision), decimal(recall), String(n)], LABEL_WIDTHS),
      ),
    ),
  ]);
}

function numbersOf({ macroF1, componentAccuracy, abstained, agentErrorPatched, cost }: FaultLabResult): string[] {
  const shares = [macroF1, componentAccuracy, abstained, agentErrorPatched].map(decimal);
  return [...shares, String(cost.modelCalls)];
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

/** Of each column, the blank behind it included. */
const CRITIC_WIDTHS = [30, 10, 11, 10, 13, 6];
const LABEL_WIDTHS = [30, 21, 11, 8, 6];

function row(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, index) => (index === cells.length - 1 ? cell : fitted(cell, widths[index] as number)))
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
