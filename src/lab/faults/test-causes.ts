import { seededRandom, seedFrom } from '../../base/random.ts';
import type { Diagnosis } from '../../critic/attribution.ts';
import { componentOfPath } from '../../harness/component-of-path.ts';
import { aggregate, type Cluster } from '../../patch/aggregate.ts';
import type { Patch } from '../../patch/patch.ts';
import { proposePatches } from '../../patch/propose.ts';
import { type ReplayOptions, type ReplayResult, replayCause } from '../../replay/replay-cause.ts';
import type { ReplaySetting } from '../../replay/run-arms.ts';
import type { LabFailure, LabGroup } from './collect-failures.ts';

/** Temperature of all re-runs. */
const REPLAY_SAMPLING = { temperature: 0.7, topP: 1, topK: 0 };
const ALPHA = 0.05;

export interface CauseTestOptions {
  /** Who acts in the re-runs, and where. */
  stage: Pick<ReplaySetting, 'model' | 'clock' | 'toolHosts' | 'signal'>;
  /** Patches tried for one cause; the error is shared among them. */
  patches: number;
  /** Failures of a cluster that are re-run, and re-runs of each in each arm. */
  cases: number;
  samples: number;
  against: ReplayOptions['against'];
}

/** A cause that the critic blames, and what came of its test. */
export interface TestedCause {
  cluster: Cluster;
  diagnoses: Diagnosis[];
  /** Whether any operator has a diff for it. */
  hasPatch: boolean;
  /** Of the patch that confirmed it, else of the last one; null where there was nothing to test. */
  result: ReplayResult | null;
  /**
   * Whether replay speaks against the cause: a correction helps where no patch did, or the very repair that the evidence names does not. An operator's attempt at a
   * cure that fails says nothing of the cause.
   */
  isRefuted: boolean;
  usage: { modelCalls: number; tokens: number };
}

const REFERENCE_TASKS = 40;
const FIRST_REFERENCE = 900_000;

/** Diffs that φ's own operators write for one cause, from worked solutions of other tasks. */
export function patchesFor(group: LabGroup, cluster: Cluster, count: number): Patch[] {
  const trainTasks = Array.from({ length: REFERENCE_TASKS }, (_, index) =>
    group.scenario.task(FIRST_REFERENCE + index),
  );
  return proposePatches(
    {
      harness: group.harness,
      clusters: [cluster],
      trajectories: group.failures.map(({ trajectory }) => trajectory),
      trainTasks,
      successes: [],
      random: seededRandom(seedFrom('patches', group.harness.hash, cluster.mechanism)),
      refused: new Set(),
    },
    { count: count + EXPLORING },
  )
    .filter(({ target }) => target?.mechanism === cluster.mechanism)
    .toSorted((left, right) => Number(touches(right, cluster)) - Number(touches(left, cluster)))
    .slice(0, count);
}

/** Whether a patch changes the component that is blamed: the cause is best tested there. */
function touches({ edits }: Patch, { component }: Cluster): boolean {
  return edits.some(({ path }) => componentOfPath(path)?.kind === component);
}

/** Proposals that no cause asks for come along and are left out. */
const EXPLORING = 12;

/** Replays every blamed cause but `agent_error`, cluster by cluster, heaviest first. */
export async function testCauses(
  group: LabGroup,
  diagnoses: readonly Diagnosis[],
  options: CauseTestOptions,
): Promise<TestedCause[]> {
  const tested: TestedCause[] = [];
  for (const cluster of aggregate(diagnoses)) {
    const members = diagnoses.filter(
      ({ label, mechanism, path }) =>
        label === cluster.label && mechanism === cluster.mechanism && path === cluster.path,
    );
    const cause = { cluster, diagnoses: members };
    if (cluster.label === 'agent_error') {
      tested.push({ ...cause, hasPatch: false, result: null, isRefuted: false, usage: { modelCalls: 0, tokens: 0 } });
    } else tested.push({ ...cause, ...(await testCause(group, cluster, members, options)) });
  }
  return tested;
}

async function testCause(
  group: LabGroup,
  cluster: Cluster,
  members: readonly Diagnosis[],
  { stage, patches, cases, samples, against }: CauseTestOptions,
): Promise<Omit<TestedCause, 'cluster' | 'diagnoses'>> {
  const candidates = patchesFor(group, cluster, patches);
  const replayed = failuresOf(group, members).slice(0, cases);
  const usage = { modelCalls: 0, tokens: 0 };
  let result: ReplayResult | null = null;
  let isRefuted = false;
  for (const patch of candidates) {
    result = await replayCause(
      replayed,
      patch.edits,
      {
        ...stage,
        harness: group.harness,
        verifier: group.scenario.verifier,
        sampling: REPLAY_SAMPLING,
        samples,
      },
      { alpha: ALPHA / candidates.length, against },
    );
    usage.modelCalls += result.usage.modelCalls;
    usage.tokens += result.usage.promptTokens + result.usage.completionTokens;
    if (result.verdict === 'confirmed') break;
    const isOwnRepair = patch.proposer === 'stated-repair';
    isRefuted ||= result.verdict === 'elsewhere' || (isOwnRepair && result.verdict !== 'too-few');
  }
  return { hasPatch: candidates.length > 0, result, isRefuted: isRefuted && result?.verdict !== 'confirmed', usage };
}

function failuresOf({ failures }: LabGroup, members: readonly Diagnosis[]): LabFailure[] {
  const blamed = new Set(members.map(({ rollout }) => rollout));
  return failures.filter(({ key }) => blamed.has(key));
}
