import { type ContentHash, contentHash } from '../base/content-hash.ts';
import { CoHarnessError } from '../base/errors.ts';
import { type Journal, once } from '../base/journal.ts';
import { applyEdits } from '../harness/apply-patch.ts';
import type { Harness } from '../harness/harness.ts';
import type { ModelIdentity, Sampling } from '../model/model-backend.ts';
import { placeboEdits } from '../replay/placebo-edits.ts';
import { synonymEdit } from '../replay/synonym-edit.ts';
import { runBatch } from '../rollout/run-batch.ts';
import { scoreOf } from '../trajectory/score-of.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { type NullSetting, nullJobs } from './null-runs.ts';
import { isGreedy } from './roll-out.ts';

/** A φ of the pool: the pair's own (the first one), or the pair with a placebo diff, which means nothing. */
export interface PoolArm {
  name: string;
  harness: Harness;
}

/**
 * φ of a pair, and φ with either placebo: a blank at the end of the prompt's first line, a synonym. Throws CoHarnessError `no-placebo` where its prompt has no word
 * with a known synonym.
 */
export function nullPoolArms(harness: Harness): PoolArm[] {
  const synonym = synonymEdit(harness);
  if (synonym === null) {
    throw new CoHarnessError(
      'no-placebo',
      'No word of prompts/system.md has a known synonym (src/replay/synonym-edit.ts).',
    );
  }
  const blank = placeboEdits(harness, [{ path: 'prompts/system.md' }]);
  return [
    { name: 'the pair', harness },
    { name: 'trailing space', harness: applyEdits(harness, blank) },
    { name: synonym.title, harness: applyEdits(harness, [synonym.edit]) },
  ];
}

export interface NullPoolOrder extends Omit<NullSetting, 'harness'> {
  /** What the pool is of, for its reader. */
  name: string;
  arms: readonly PoolArm[];
  /** Rollouts wanted in all. */
  rollouts: number;
  /** Where it is kept: the pool grows by the same order, whenever it is given. */
  journal: Journal;
  onProgress: (progress: { collected: number; bought: number; unscored: number }) => void;
}

/** What a pool was collected from; its first journal row. */
export interface NullPoolHeader {
  name: string;
  model: ModelIdentity;
  arms: { name: string; harness: ContentHash }[];
  /** null = φ's own. */
  sampling: Sampling | null;
  seed: number;
  verifier: ContentHash;
  tasks: ContentHash;
}

/** A pool of rollouts by (arm, group, task): scores in the order of the draws, of those draws that have one in every arm. */
export interface NullPool {
  header: NullPoolHeader;
  /** Scores in [0, 1] as `arms[arm][group][task][draw]`; groups and tasks in the same order in all arms. */
  arms: number[][][][];
  rollouts: number;
}

const HEADER = contentHash({ step: 'null-pool' });

/** Draws of one prompt that are asked for in a row, at most: an engine that copies what it has evaluated reads the task once for all of them. */
const DRAWS_TOGETHER = 8;

/**
 * Rolls a pair and its placebos out on gate tasks, task by task in passes of up to DRAWS_TOGETHER draws: in all arms of a task there are as many whenever it is stopped, and tasks differ by
 * one pass. Draw d has the same seeds in every arm, and others than every draw before. Kept without their events: twenty thousand rollouts are some 23 MB. Rejects with
 * AbortedError when the signal fires, and with CoHarnessError `pool-mismatch` where the journal holds another pool, `invalid-pool` for a greedy pair.
 */
export async function collectNullPool(order: NullPoolOrder): Promise<void> {
  const { arms, signal, rollouts, onProgress } = order;
  for (const { name, harness } of arms) {
    if (isGreedy(harness, order.sampling)) {
      const text = `Arm "${name}" is greedy: all its draws would be the same. Give a temperature above 0.`;
      throw new CoHarnessError('invalid-pool', text);
    }
  }
  await claim(order);
  const journal = withoutEvents(order.journal);
  const counts = { collected: 0, bought: 0, unscored: 0 };
  const tasks = order.groups.flat();
  for (let drawn = 0; counts.collected < rollouts; ) {
    const wanted = Math.ceil((rollouts - counts.collected) / (tasks.length * arms.length));
    const draws = Array.from({ length: Math.min(DRAWS_TOGETHER, wanted) }, (_, offset) => drawn + offset);
    drawn += draws.length;
    const jobs = tasks.flatMap((task) =>
      arms.flatMap(({ harness }) => nullJobs({ ...order, harness, groups: [[task]] }, 'null pool', draws)),
    );
    await runBatch(jobs.slice(0, rollouts - counts.collected), {
      journal,
      signal,
      onProgress: ({ isReused, trajectory }) => {
        counts.collected++;
        if (!isReused) counts.bought++;
        if (scoreOf(trajectory) === null) counts.unscored++;
        onProgress({ ...counts });
      },
    });
  }
}

/** Throws CoHarnessError `no-pool` where the journal holds none. */
export async function readNullPool(journal: Journal): Promise<NullPool> {
  const header = (await journal.get(HEADER)) as NullPoolHeader | undefined;
  if (header === undefined) {
    throw new CoHarnessError('no-pool', 'This file holds no pool. Collect one with: npx node bench/null-pool.ts');
  }
  const rollouts = (await journal.entries('rollout')).map(({ value }) => value as Trajectory);
  const byGroup = Map.groupBy(rollouts, ({ group }) => group);
  const tasks = [...byGroup].map(([, inGroup]) => [...new Set(inGroup.map(({ identity }) => identity.task))].sort());
  const byArmAndTask = Map.groupBy(rollouts, ({ identity }) => `${identity.harness} ${identity.task}`);
  const scored = header.arms.map(
    ({ harness }) =>
      (task: ContentHash) =>
        scoresByDraw(byArmAndTask.get(`${harness} ${task}`) ?? []),
  );
  // One that was never scored in one arm is a gap there: counted on, the draws behind it would meet those of another seed.
  const common = new Map(tasks.flat().map((task) => [task, commonDraws(scored.map((scoresOf) => scoresOf(task)))]));
  const arms = scored.map((scoresOf) =>
    tasks.map((inGroup) =>
      inGroup.map((task) => {
        const scores = scoresOf(task);
        return (common.get(task) ?? []).map((draw) => scores.get(draw) as number);
      }),
    ),
  );
  return { header, arms, rollouts: rollouts.length };
}

function scoresByDraw(rollouts: readonly Trajectory[]): Map<number, number> {
  return new Map(
    rollouts.flatMap((rollout) => {
      const score = scoreOf(rollout);
      return score === null ? [] : [[rollout.identity.repeat, score] as const];
    }),
  );
}

function commonDraws([first = new Map(), ...others]: readonly ReadonlyMap<number, number>[]): number[] {
  return [...first.keys()].filter((draw) => others.every((scores) => scores.has(draw))).sort((a, b) => a - b);
}

async function claim({ journal, name, model, arms, sampling, seed, verifier, groups }: NullPoolOrder): Promise<void> {
  const header: NullPoolHeader = {
    name,
    model: model.identity,
    arms: arms.map((arm) => ({ name: arm.name, harness: arm.harness.hash })),
    sampling,
    seed,
    verifier: verifier.version,
    tasks: contentHash(groups.map((group) => group.map(({ hash }) => hash))),
  };
  const stored = await once<NullPoolHeader>(journal, 'null-pool', HEADER, async () => header);
  const differing = Object.keys(header).filter(
    (key) => contentHash(stored[key as keyof NullPoolHeader]) !== contentHash(header[key as keyof NullPoolHeader]),
  );
  if (differing.length === 0) return;
  throw new CoHarnessError(
    'pool-mismatch',
    `The file holds a pool with other ${differing.join(', ')} (${stored.name}). Give this one a file of its own, or the options of that one.`,
    { details: { differing } },
  );
}

/** Only scores are read again, and prompts with their token ids would take twenty times the room. */
function withoutEvents(journal: Journal): Journal {
  return {
    ...journal,
    put: ({ key, kind, value }) => journal.put({ key, kind, value: { ...(value as Trajectory), events: [] } }),
  };
}
