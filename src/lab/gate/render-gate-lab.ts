import { signedPoints } from '../../base/share-text.ts';
import type { LabGoal } from './lab-goals.ts';
import type { GateLabReport } from './run-gate-lab.ts';
import type { LabCellResult } from './run-lab-cell.ts';

/** The report as Markdown tables, for a terminal or a document. */
export function renderGateLab(report: GateLabReport): string {
  const { cells, comparisons, drift } = report;
  const falseAccepts = cells.filter((cell) => cell.effect === 0 || cell.world === 'mixed');
  const single = cells.filter((cell) => cell.effect !== 0 && cell.world !== 'mixed');
  return [
    ...goalSection(report.goals),
    ...cellSection('Searches that accept something which is not better', falseAccepts),
    ...cellSection('Decisions on one candidate with a true effect', single),
    ...comparisonSection(comparisons),
    ...(drift === null ? [] : driftLines(drift)),
    `Error allowed to a search: ${report.alpha}. Seed ${report.seed}, ${report.seconds.toFixed(1)} s.`,
    '',
  ].join('\n');
}

function goalSection(goals: readonly LabGoal[]): string[] {
  if (goals.length === 0) return [];
  const header = ['goal', 'budget of a decision', 'required', 'worst of', 'measured', 'verdict'];
  const rows = goals.map(({ goal, budget, required, measured, worst, cells, verdict }) => {
    const limit = required === null ? '' : 'atMost' in required ? `≤ ${required.atMost}` : `≥ ${required.atLeast}`;
    const count = cells === 1 ? '1 cell' : `${cells} cells`;
    return row([goal, budget, limit, count, `${measured.toFixed(4)} (${worst})`, verdict ?? 'stated only']);
  });
  return ['### Goals', '', row(header), row(header.map(() => '---')), ...rows, ''];
}

/** A table of cells under a title; nothing without cells. */
export function cellSection(title: string, cells: readonly LabCellResult[]): string[] {
  if (cells.length === 0) return [];
  const header = [
    'rule',
    'world',
    'effect',
    'K',
    'groups × repeats',
    'accepted',
    'rate',
    '95% bounds',
    'rollouts: mean, 95%',
  ];
  return [`### ${title}`, '', row(header), row(header.map(() => '---')), ...cells.map(cellRow), ''];
}

function cellRow(cell: LabCellResult): string {
  const control = cell.control === 'fallback' ? '' : ` (${cell.control})`;
  const decision = cell.decision === undefined ? '' : `, diff ${cell.decision}`;
  const goal = cell.goal === 'not-worse' ? ', deletion' : '';
  return row([
    cell.rule + control + decision,
    cell.world,
    `${signedPoints(cell.effect)}${goal}`,
    String(cell.candidates),
    `${cell.groups} × ${cell.repeats}`,
    `${cell.accepted} of ${cell.searches}`,
    cell.rate.toFixed(4),
    `${cell.lower95.toFixed(4)}–${cell.upper95.toFixed(4)}`,
    `${cell.meanRollouts.toFixed(0)}, ${cell.p95Rollouts.toFixed(0)}`,
  ]);
}

function comparisonSection(comparisons: GateLabReport['comparisons']): string[] {
  if (comparisons.length === 0) return [];
  const header = [
    'world',
    'effect',
    'power',
    'fixed size, rollouts',
    'mean cost at the effect',
    'on nulls',
    "Wald's bounds",
  ];
  return [
    '### Cost beside a fixed-size test of equal error and power',
    '',
    row(header),
    row(header.map(() => '---')),
    ...comparisons.map((each) =>
      row([
        each.world,
        signedPoints(each.effect),
        each.power.toFixed(3),
        String(each.fixedRollouts),
        share(each.shareAtEffect),
        share(each.shareAtNull),
        `${share(each.waldAtEffect)}, ${share(each.waldAtNull)}`,
      ]),
    ),
    '',
  ];
}

function driftLines(drift: NonNullable<GateLabReport['drift']>): string[] {
  const { steps, effect, margin, passAlone, unchecked, checked, searches, groups, repeats } = drift;
  return [
    '### Drift',
    '',
    `${steps} deletions of ${signedPoints(effect)} each, margin ${signedPoints(margin)}, ${groups} groups × ${repeats} repeats, ${searches} searches: ` +
      `${share(passAlone)} pass "not worse" alone. Without the drift check the champion ends ${signedPoints(-unchecked.meanLoss)} from the ` +
      `seed pair (beyond the margin in ${share(unchecked.beyondMargin)} of the searches); with it ${signedPoints(-checked.meanLoss)} ` +
      `(beyond the margin in ${share(checked.beyondMargin)}).`,
    '',
  ];
}

function row(columns: readonly string[]): string {
  return `| ${columns.join(' | ')} |`;
}

function share(value: number): string {
  return `${(value * 100).toFixed(0)}%`;
}
