import type { FaultLabReport, FaultLabResult } from './run-fault-lab.ts';

/** The report as text: one table of critics, one of labels. Missing values are dashes. */
export function renderFaultLab({ kinds, results }: FaultLabReport): string {
  const lines = [
    `Kinds of mutations: ${kinds.development.length} for development, ${kinds.heldOut.length} held out.`,
    '',
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
  return `${lines.join('\n')}\n`;
}

function named({ critic, replay, actor }: FaultLabResult): string {
  return `${critic}${replay ? ' + replay' : ''} (${actor})`;
}

const WIDTHS = [30, 13, 20, 11, 11, 22, 12];

function row(cells: readonly string[]): string {
  return cells
    .map((cell, index) => cell.padEnd(WIDTHS[index] ?? 10))
    .join('')
    .trimEnd();
}

function decimal(value: number | null): string {
  return value === null ? '–' : value.toFixed(2);
}
