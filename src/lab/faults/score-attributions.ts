import { ATTRIBUTION_LABELS, type AttributionLabel } from '../../critic/attribution.ts';
import type { ComponentKind } from '../../harness/harness.ts';
import type { Interval } from '../../statistics/interval.ts';
import { wilsonInterval } from '../../statistics/wilson.ts';
import type { Truth } from './collect-failures.ts';

/** What a critic made of one failure. Label null: it takes no position. */
export interface Attributed {
  truth: Truth;
  label: AttributionLabel | null;
  component: ComponentKind | null;
  /** Whether its diagnosis leads to a diff that would be paid for. */
  isPatched: boolean;
}

export interface LabelScore {
  label: AttributionLabel;
  /** Null where the critic never gave the label. */
  precision: number | null;
  /** Null where no failure has it. */
  recall: number | null;
  /** Failures that have it. */
  n: number;
}

/** `right` of `n`; share null and the interval [0, 1] where n is 0. The interval is Wilson's of 95%. */
export interface Proportion extends Interval {
  right: number;
  n: number;
  share: number | null;
}

export interface AttributionScore {
  /** Failures judged. */
  n: number;
  /** Of all failures; an undecided one counts as wrong. */
  labelRight: Proportion;
  /** Of the failures with a cause in φ. */
  componentRight: Proportion;
  /** Mean of the labels' F1, over the labels that some failure has; undecided failures count as missed. */
  macroF1: number;
  labels: LabelScore[];
  /** Share of the failures with a cause in φ for which the right component was named. */
  componentAccuracy: number | null;
  /** Share of all failures on which the critic takes no position. */
  abstained: number;
  /** Share of the agent's own errors that lead to a patch. */
  agentErrorPatched: number | null;
}

export function scoreAttributions(attributed: readonly Attributed[]): AttributionScore {
  const labels = ATTRIBUTION_LABELS.map((label) => labelScore(label, attributed));
  const present = labels.filter(({ n }) => n > 0);
  const caused = attributed.filter(({ truth }) => truth.label !== 'agent_error');
  const own = attributed.filter(({ truth }) => truth.label === 'agent_error');
  return {
    n: attributed.length,
    labelRight: proportion(attributed, ({ label, truth }) => label === truth.label),
    componentRight: proportion(caused, ({ component, truth }) => component === truth.component),
    macroF1: present.reduce((sum, score) => sum + f1(score), 0) / Math.max(1, present.length),
    labels,
    componentAccuracy: share(caused, ({ component, truth }) => component === truth.component),
    abstained: share(attributed, ({ label }) => label === null) ?? 0,
    agentErrorPatched: share(own, ({ isPatched }) => isPatched),
  };
}

function labelScore(label: AttributionLabel, attributed: readonly Attributed[]): LabelScore {
  const given = attributed.filter((one) => one.label === label);
  const real = attributed.filter(({ truth }) => truth.label === label);
  return {
    label,
    precision: share(given, ({ truth }) => truth.label === label),
    recall: share(real, (one) => one.label === label),
    n: real.length,
  };
}

function f1({ precision, recall }: LabelScore): number {
  if (precision === null || recall === null || precision + recall === 0) return 0;
  return (2 * precision * recall) / (precision + recall);
}

function proportion(items: readonly Attributed[], holds: (item: Attributed) => boolean): Proportion {
  const right = items.filter(holds).length;
  return { right, n: items.length, share: share(items, holds), ...wilsonInterval(right, items.length) };
}

function share<T>(items: readonly T[], holds: (item: T) => boolean): number | null {
  return items.length === 0 ? null : items.filter(holds).length / items.length;
}
