import { contentHash } from '../base/content-hash.ts';
import { once } from '../base/journal.ts';
import type { Diagnosis } from '../critic/attribution.ts';
import type { Harness } from '../harness/harness.ts';
import { editsHash } from '../patch/edits-hash.ts';
import type { Patch } from '../patch/patch.ts';
import type { Version } from '../registry/version.ts';
import type { ReplayCase } from '../replay/replay-case.ts';
import { type ReplayResult, replayCause } from '../replay/replay-cause.ts';
import { rolloutKey } from '../rollout/rollout-identity.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import type { RunContext } from './run-context.ts';

/** Failures of the cause that are re-run at most, re-runs of each in each arm, and their least temperature. */
const MOST_CASES = 12;
const SAMPLES = 2;
const LEAST_TEMPERATURE = 0.5;

export interface CauseOrder {
  champion: Version;
  harness: Harness;
  patch: Patch;
  /** Train rollouts under exactly this harness, and what the critic says of their failures. */
  mined: readonly Trajectory[];
  diagnoses: readonly Diagnosis[];
  round: number;
  iteration: number;
}

/**
 * Whether the cause that a patch aims at survives replay, before a gate is paid for. A patch without a cause and a cause with too few failures cannot be
 * tested and pass. The result and what it cost stand in the journal (kind `replay`).
 */
export async function causeStands(context: RunContext, order: CauseOrder): Promise<boolean> {
  const isDoubtful = mustBeReplayed(order);
  if (order.patch.target === null || (context.config.critic.replay === 'off' && !isDoubtful)) return true;
  // Somebody's own agent cannot be put back into the middle of what it did.
  if (context.surroundings.runner !== undefined) return !isDoubtful;
  const { champion, harness, patch, round } = order;
  const cases = casesOf(context, order);
  const key = contentHash({
    step: 'replay',
    seed: context.seed,
    parent: champion.pair,
    edits: editsHash(patch.edits),
    rollouts: cases.map(({ trajectory }) => rolloutKey(trajectory.identity)).sort(),
  });
  const result = await once<ReplayResult>(context.journal, 'replay', key, async () => {
    const replayed = await replayCause(
      cases,
      patch.edits,
      {
        harness,
        model: await context.models.open(champion.pair.model),
        verifier: context.verifier,
        clock: context.clock,
        ...(context.surroundings.toolHosts === undefined ? {} : { toolHosts: context.surroundings.toolHosts }),
        sampling: {
          ...harness.settings.sampling,
          temperature: Math.max(LEAST_TEMPERATURE, harness.settings.sampling.temperature),
        },
        samples: SAMPLES,
        signal: context.signal,
      },
      { alpha: context.config.gate.alpha, against: 'placebo' },
    );
    context.tokens.add(replayed.usage);
    return replayed;
  });
  const stands = result.verdict === 'confirmed' || (result.verdict === 'too-few' && !isDoubtful);
  const text = `replay of "${patch.title}": ${result.verdict}. ${result.explanation}${stands ? '' : ' It goes to no gate.'}`;
  context.emit({ type: 'notice', seed: context.seed, round, text });
  return stands;
}

/** A cause that only part of the critic's votes name costs no gate before a replay has confirmed it, whatever the configuration says. */
function mustBeReplayed({ patch, diagnoses }: CauseOrder): boolean {
  const aimed = diagnoses.filter(
    ({ label, mechanism }) => label === patch.target?.label && mechanism === patch.target.mechanism,
  );
  return aimed.length > 0 && aimed.every(({ standing }) => standing === 'needs-replay');
}

/** Failures with the cause that the patch names, one a group first, so that few of them say the most. */
function casesOf(context: RunContext, { patch, mined, diagnoses }: CauseOrder): ReplayCase[] {
  const blamed = new Set(
    diagnoses.flatMap(({ label, mechanism, rollout }) =>
      label === patch.target?.label && mechanism === patch.target.mechanism ? [rollout] : [],
    ),
  );
  const shown = new Set<string>(patch.usesTasks);
  const tasks = new Map(context.splits.train.map((task) => [task.hash as string, task]));
  const cases = mined.flatMap((trajectory): ReplayCase[] => {
    const task = tasks.get(trajectory.identity.task);
    const isCase = task !== undefined && blamed.has(rolloutKey(trajectory.identity)) && !shown.has(task.hash);
    return isCase ? [{ trajectory, task }] : [];
  });
  const byGroup = [...Map.groupBy(cases, ({ trajectory }) => trajectory.group).values()];
  const firsts = byGroup.flatMap(([first]) => (first === undefined ? [] : [first]));
  const others = byGroup.flatMap(([, ...rest]) => rest);
  return [...firsts, ...others].slice(0, MOST_CASES);
}
