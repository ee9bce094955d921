import { type ContentHash, contentHash } from '../base/content-hash.ts';
import { CoHarnessError } from '../base/errors.ts';
import { type Journal, once } from '../base/journal.ts';
import { seededRandom, seedFrom } from '../base/random.ts';
import type { Pair, Version } from '../registry/version.ts';
import { pairHash } from '../registry/version.ts';
import type { Task } from '../task/task.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { secondsPerRollout } from './pair-rates.ts';
import { type RolloutOrder, rollOut } from './roll-out.ts';
import type { RunContext } from './run-context.ts';
import { phaseSeconds, planOnce, rolloutsFor } from './size-plan.ts';

/**
 * One pair on the sealed tasks. The versions are those of a round's end that had its φ and its θ, in crossed pairs two different ones; where no round ended with
 * one, that of a `faster` pair that had it.
 */
export interface SealedResult {
  seed: number;
  pair: Pair;
  harnessVersion: number;
  modelVersion: number;
  /** Elapsed time of this pair's rollouts, as their share of the batch they ran in. */
  seconds: number;
  /** One entry per sealed task and repeat, in task order. */
  rollouts: { task: string; group: string; score: number | null; tokens: number }[];
}

/** What the final report is made of: the pair at the end of each round (0 = seed), as version numbers for φ and θ. */
export interface SealedTest {
  seed: number;
  rounds: { round: number; version: number; harness: string; model: string }[];
  results: SealedResult[];
  /** Pairs that were `faster` but scored lower, so that they never became the champion, each once; absent in tests from before they were measured. */
  faster?: { version: number; harness: string; model: string }[];
}

export interface SealedLook {
  by: 'report' | 'eval';
  seed: number | null;
  tasks: number;
  /** Whose rollouts an `eval` looks at: another pair, seed or number of repeats is another look. Absent: the report, or an eval from before this was kept. */
  eval?: { pair: ContentHash; seed: number; repeats: number };
}

/**
 * The only reader of the `test` split: the pair at the end of every round, after each round the crossed pairs of old and new φ and θ, and what was `faster` without becoming
 * the champion, all on the same tasks in one batch. `ends`: the champion at the end of each round, the seed pair first. Opened once a seed and counted as one look; resuming it is
 * the same look, and what happens to the registry afterwards opens nothing again.
 */
export async function openSealedTest(context: RunContext, ends: readonly Version[]): Promise<SealedTest> {
  const opened = (await sealedTests(context.journal)).find(({ seed }) => seed === context.seed);
  if (opened !== undefined) return opened;
  const faster = await besideChampions(context);
  const pairs = distinctPairs(ends, faster);
  const repeats = context.config.sizes.testRepeats;
  const sizes = await planOnce(context, { phase: 'test' }, () => ({
    testTasks:
      context.config.sizes.testTasks ??
      rolloutsFor(
        context,
        phaseSeconds(context, context.config.rounds, 'test') / (pairs.length * repeats),
        40,
        context.splits.test.length,
      ),
  }));
  const tasks = sealedTasks(context, sizes.testTasks);
  await recordLook(context.journal, { by: 'report', seed: context.seed, tasks: tasks.length }, tasks);
  context.emit({
    type: 'phase-started',
    seed: context.seed,
    round: context.config.rounds,
    phase: 'test',
    detail: `${pairs.length} pairs on ${tasks.length} sealed tasks${repeats === 1 ? '' : `, ${repeats} times each`}`,
  });
  const key = contentHash({
    step: 'sealed-test',
    seed: context.seed,
    pairs: pairs.map(pairHash),
    tasks: tasks.map((task) => task.hash),
    ...(repeats === 1 ? {} : { repeats }),
  });
  return once(context.journal, 'sealed-test', key, async () => {
    const orders: RolloutOrder[] = [];
    for (const pair of pairs) {
      const harness = await context.registry.harness(pair.harness);
      orders.push({
        harness,
        model: pair.model,
        tasks,
        split: 'test' as const,
        repeats,
        sampling: null,
        seedStream: 'sealed test',
      });
    }
    const trajectories = await rollOut(context, { round: context.config.rounds, step: 'sealed test' }, orders);
    return {
      seed: context.seed,
      rounds: ends.map((end, round) => ({ round, ...halvesOf(end) })),
      ...(faster.length === 0 ? {} : { faster: faster.map(halvesOf) }),
      results: pairs.map((pair, index) => ({
        seed: context.seed,
        pair,
        ...origin(pair, [...ends, ...faster]),
        seconds: elapsedSeconds(context, orders[index], trajectories[index] ?? []),
        rollouts: (trajectories[index] ?? []).map(toRow),
      })),
    };
  });
}

/** Those of the final report, one a seed, in the order in which they were opened. */
export async function sealedTests(journal: Journal): Promise<SealedTest[]> {
  const tests = (await journal.entries('sealed-test')).map((entry) => entry.value as SealedTest);
  return tests.filter(({ seed }, index) => tests.findIndex((test) => test.seed === seed) === index);
}

function halvesOf({ version, pair }: Version): { version: number; harness: string; model: string } {
  return { version, harness: pair.harness, model: contentHash(pair.model) };
}

/** The seed's `faster` pairs that did not become the champion. */
async function besideChampions({ registry, seed }: RunContext): Promise<Version[]> {
  const beside = (await registry.versions()).filter(
    (version) => version.seed === seed && version.verdict === 'faster' && !version.accepted,
  );
  return [...new Map(beside.map((version) => [pairHash(version.pair), version])).values()];
}

/** Old/new φ × old/new θ of every round, then those beside the champions, each pair once. */
function distinctPairs(ends: readonly Version[], beside: readonly Version[]): Pair[] {
  const pairs = new Map<string, Pair>();
  const add = (pair: Pair) => pairs.set(pairHash(pair), pair);
  for (const [index, { pair }] of ends.entries()) {
    const before = ends[index - 1]?.pair ?? pair;
    for (const harness of [before.harness, pair.harness]) {
      for (const model of [before.model, pair.model]) add({ harness, model });
    }
  }
  for (const { pair } of beside) add(pair);
  return [...pairs.values()];
}

function origin(pair: Pair, ends: readonly Version[]): { harnessVersion: number; modelVersion: number } {
  const model = contentHash(pair.model);
  return {
    harnessVersion: ends.find((end) => end.pair.harness === pair.harness)?.version ?? 0,
    modelVersion: ends.find((end) => contentHash(end.pair.model) === model)?.version ?? 0,
  };
}

/** In an order fixed by the split's seed: every seed of a run, and every resumed report, meets the same sealed tasks. */
function sealedTasks(context: RunContext, count: number): Task[] {
  const byHash = [...context.splits.test].sort((a, b) => (a.hash < b.hash ? -1 : 1));
  return seededRandom(seedFrom(context.config.tasks.splitSeed, 'sealed test')).shuffled(byHash).slice(0, count);
}

/** Measured in this process, or the rate kept with the last plan where the rollouts came from the journal. */
function elapsedSeconds(context: RunContext, order: RolloutOrder | undefined, rollouts: readonly Trajectory[]): number {
  return order === undefined ? 0 : secondsPerRollout(context, order.harness, order.model) * rollouts.length;
}

function toRow(trajectory: Trajectory): SealedResult['rollouts'][number] {
  return {
    task: trajectory.identity.task,
    group: trajectory.group,
    score: trajectory.outcome.kind === 'scored' ? trajectory.outcome.score : null,
    tokens: trajectory.usage.promptTokens + trajectory.usage.completionTokens,
  };
}

/** Stores a look at sealed tasks before they are read. The same look again (same reader, seed, tasks and, of an eval, rollouts) is not counted twice. */
export async function recordLook(journal: Journal, look: SealedLook, tasks: readonly Task[]): Promise<void> {
  const key = contentHash({
    step: 'sealed-look',
    by: look.by,
    seed: look.seed,
    tasks: tasks.map((task) => task.hash).sort(),
    ...(look.eval === undefined ? {} : { eval: look.eval }),
  });
  await once(journal, 'sealed-look', key, async () => look);
}

export async function sealedLooks(journal: Journal): Promise<SealedLook[]> {
  return (await journal.entries('sealed-look')).map((entry) => entry.value as SealedLook);
}

/** Throws CoHarnessError `sealed` when tasks of a run's test split would be read without the flag. `sealed` holds content hashes. */
export function refuseSealed(tasks: readonly Task[], sealed: ReadonlySet<string>, allowed: boolean): void {
  const hits = tasks.filter((task) => sealed.has(task.hash));
  if (hits.length === 0 || allowed) return;
  throw new CoHarnessError(
    'sealed',
    `${hits.length} of these tasks are in the run's sealed test (first: ${hits[0]?.id}). Evaluating on them again is a second look. ` +
      'Leave them out, or say --open-sealed: the look is then counted and printed in the report.',
    { details: { tasks: hits.length } },
  );
}
