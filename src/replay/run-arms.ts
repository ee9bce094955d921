import type { Clock } from '../base/clock.ts';
import { applyEdits } from '../harness/apply-patch.ts';
import type { Harness } from '../harness/harness.ts';
import type { PatchEdit } from '../harness/patch-edit.ts';
import type { ModelBackend, Sampling } from '../model/model-backend.ts';
import { runRollout } from '../rollout/run-rollout.ts';
import type { ToolHosts } from '../rollout/tools/tool-hosts.ts';
import { summarise } from '../statistics/summary.ts';
import type { Verifier } from '../task/verifier.ts';
import { scoreOf } from '../trajectory/score-of.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { firstChangedTurn } from './first-change.ts';
import { placeboEdits } from './placebo-edits.ts';
import { type ReplaySettings, type ReplayUsage, replayBackend } from './replay-backend.ts';
import type { ReplayCase } from './replay-case.ts';

/** Everything a replay runs with. */
export interface ReplaySetting {
  /** φ under which the cases failed. */
  harness: Harness;
  /** θ of the cases; metered by the caller as the critic's. */
  model: ModelBackend;
  verifier: Verifier;
  clock: Clock;
  /** Where the tools of φ run. */
  toolHosts?: ToolHosts;
  /** Its temperature is > 0. */
  sampling: Sampling;
  /** Re-runs of each case in each arm, ≥ 1. */
  samples: number;
  signal?: AbortSignal;
}

/** Mean scores of one case's re-runs by arm; null where nothing could be scored, or where nobody supplied a correction. */
export interface ArmScores {
  group: string;
  patch: number | null;
  placebo: number | null;
  observation: number | null;
  action: number | null;
}

/** φ under a patch, and under its placebo. */
export interface PatchedHarnesses {
  patched: Harness;
  placebo: Harness;
}

export function patchedHarnesses(harness: Harness, edits: readonly PatchEdit[]): PatchedHarnesses {
  return { patched: applyEdits(harness, edits), placebo: applyEdits(harness, placeboEdits(harness, edits)) };
}

/** Null: the patch changes nothing in this rollout. */
export async function runArms(
  replayed: ReplayCase,
  { patched, placebo }: PatchedHarnesses,
  setting: ReplaySetting,
  usage: ReplayUsage,
): Promise<ArmScores | null> {
  const run = (harness: Harness, settings: Omit<ReplaySettings, 'recorded' | 'sampling'>) =>
    rerun(
      replayed,
      harness,
      setting,
      { ...settings, recorded: replayed.trajectory, sampling: setting.sampling },
      usage,
    );
  const first = await run(patched, { fromTurn: null, sample: 0 });
  const fromTurn = firstChangedTurn(replayed.trajectory, first);
  if (fromTurn === null) return null;
  const others = Array.from({ length: setting.samples - 1 }, (_, index) => index + 1);
  const arm = async (harness: Harness, settings: Pick<ReplaySettings, 'actions' | 'observations'>, from = fromTurn) => {
    const rollouts: Trajectory[] = [];
    for (const sample of [0, ...others]) rollouts.push(await run(harness, { ...settings, fromTurn: from, sample }));
    return meanScore(rollouts);
  };
  const rest: Trajectory[] = [];
  for (const sample of others) rest.push(await run(patched, { fromTurn, sample }));
  const { action, observation } = replayed.supplied ?? {};
  return {
    group: replayed.trajectory.group,
    patch: meanScore([first, ...rest]),
    placebo: await arm(placebo, {}),
    action:
      action === undefined
        ? null
        : await arm(setting.harness, { actions: new Map([[action.turn, action.text]]) }, action.turn),
    observation:
      observation === undefined
        ? null
        : await arm(
            setting.harness,
            { observations: new Map([[observation.turn, observation.text]]) },
            observation.turn + 1,
          ),
  };
}

function rerun(
  { trajectory, task }: ReplayCase,
  harness: Harness,
  { model, verifier, clock, toolHosts, signal }: ReplaySetting,
  settings: ReplaySettings,
  usage: ReplayUsage,
): Promise<Trajectory> {
  const { split, repeat, seed, sampling } = trajectory.identity;
  return runRollout({
    harness,
    model: replayBackend(model, settings, usage),
    task,
    split,
    repeat,
    seed,
    verifier,
    sampling,
    clock,
    ...(toolHosts === undefined ? {} : { toolHosts }),
    ...(signal === undefined ? {} : { signal }),
  });
}

function meanScore(rollouts: readonly Trajectory[]): number | null {
  return summarise(rollouts.map(scoreOf)).mean ?? null;
}
