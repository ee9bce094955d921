import type { FaultLabReport, FaultLabResult } from './run-fault-lab.ts';

/** The report as text: one table of critics, one of labels. Missing values are dashes. */
export function renderFaultLab({ kinds, results }: FaultLabReport): string {
  const counts = `Kinds of mutations: ${kinds.development.length} for development, ${kinds.heldOut.length} held out.`;
  return `${[counts, '', ...criticTables(results)].join('\n')}\n`;
}

/** Lines of both tables. */
export function criticTables(results: readonly FaultLabResult[]): string[] {
  return [
    row(['critic', 'split', 'macro-F1', 'component', 'undecided', 'agent errors patched', 'model calls']),
    ...results.map((result) =>
      row([
        named(result),
        result.split,
        decimal(result.macroF1),
        decimal(result.componentAccuracy),
        decimal(result.abstained),
        decimal(result.agentErrorPatched),
        String(result.cost.modelCalls),
      ]),
    ),
    '',
    row(['critic', 'split', 'label', 'precision', 'recall', 'n']),
    ...results.flatMap((result) =>
      result.labels.map(({ label, precision, recall, n }) =>
        row([named(result), result.split, label, decimal(precision), decimal(recall), String(n)]),
      ),
    ),
  ];
}

function named({ critic, replay, actor }: FaultLabResult): string {
  return `${critic}${replay ? ' + replay' : ''} (${actor})`;
}

const WIDTHS = [30, 13, 20, 11, 11, 22, 12];

function row(cells: readonly string[]): string {
  return cells
    .map((cell, index) => fitted(cell, WIDTHS[index] ?? 10))
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
