import type { AttributionLabel, Diagnosis } from '../critic/attribution.ts';
import type { ComponentKind } from '../harness/harness.ts';
import type { PatchEdit } from '../harness/patch-edit.ts';

const EXAMPLE_ROLLOUTS = 8;

/** Failures with one cause: same label, mechanism and edited place. */
export interface Cluster {
  label: AttributionLabel;
  component: ComponentKind | null;
  path: string | null;
  mechanism: string;
  /** That of its first diagnosis. */
  explanation: string;
  /** Failures in it, ≥ 1. */
  count: number;
  /** Share of all diagnosed failures, in (0, 1]. */
  recurrence: number;
  /** Means over its diagnoses, in (0, 1]. */
  severity: number;
  confidence: number;
  /** Share of the failures with this label and mechanism that also name this place, in (0, 1]. */
  agreement: number;
  /**
   * recurrence × severity × confidence × agreement, undecided diagnoses counting nothing; 0 for `agent_error`, which never leads to a patch.
   */
  weight: number;
  /** Hashes of at most 8 of its rollouts, in order of diagnosis. */
  rollouts: string[];
  /** The change that most of its diagnoses state; absent where none does. */
  repair?: readonly PatchEdit[];
}

/**
 * All clusters, heaviest first, then by count and name: those nobody acts on stay visible with their counts. Order of
 * `diagnoses` matters only for which rollouts stand as examples. Source: Co-Harness (arXiv 2607.22688), proposal step.
 */
export function aggregate(diagnoses: readonly Diagnosis[]): Cluster[] {
  const members = new Map<string, Diagnosis[]>();
  const sameMechanism = new Map<string, number>();
  for (const diagnosis of diagnoses) {
    const cause = JSON.stringify([diagnosis.label, diagnosis.mechanism]);
    const key = JSON.stringify([diagnosis.label, diagnosis.mechanism, diagnosis.path]);
    members.set(key, [...(members.get(key) ?? []), diagnosis]);
    sameMechanism.set(cause, (sameMechanism.get(cause) ?? 0) + 1);
  }
  return [...members.entries()]
    .map(([key, group]) => {
      const [first] = group as [Diagnosis, ...Diagnosis[]];
      const cause = JSON.stringify([first.label, first.mechanism]);
      return { key, cluster: clusterOf(group, diagnoses.length, sameMechanism.get(cause) ?? group.length) };
    })
    .sort(
      (a, b) => b.cluster.weight - a.cluster.weight || b.cluster.count - a.cluster.count || (a.key < b.key ? -1 : 1),
    )
    .map(({ cluster }) => cluster);
}

function clusterOf(group: readonly Diagnosis[], total: number, withMechanism: number): Cluster {
  const [first] = group as [Diagnosis, ...Diagnosis[]];
  const mean = (value: (diagnosis: Diagnosis) => number) =>
    group.reduce((sum, diagnosis) => sum + value(diagnosis), 0) / group.length;
  const recurrence = group.length / total;
  const severity = mean((diagnosis) => diagnosis.severity);
  const confidence = mean((diagnosis) => diagnosis.confidence);
  const agreement = group.length / withMechanism;
  const decided = group.filter(({ standing }) => standing !== 'undecided').length / group.length;
  return {
    label: first.label,
    component: first.component,
    path: first.path,
    mechanism: first.mechanism,
    explanation: first.explanation,
    count: group.length,
    recurrence,
    severity,
    confidence,
    agreement,
    weight: first.label === 'agent_error' ? 0 : recurrence * severity * confidence * agreement * decided,
    rollouts: group.slice(0, EXAMPLE_ROLLOUTS).map((diagnosis) => diagnosis.rollout),
    ...statedRepair(group),
  };
}

/** The repair that most diagnoses of a cluster state; the earliest of equals. */
function statedRepair(group: readonly Diagnosis[]): Pick<Cluster, 'repair'> {
  const stated = group.flatMap(({ repair }) => (repair === undefined ? [] : [repair]));
  const [commonest] = [...Map.groupBy(stated, (repair) => JSON.stringify(repair)).values()].sort(
    (a, b) => b.length - a.length,
  );
  const repair = commonest?.[0];
  return repair === undefined ? {} : { repair };
}
