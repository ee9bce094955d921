import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { withFileLock } from '../../bin/file-lock.mjs';
import { writeAtomically } from '../base/atomic-file.ts';
import { systemClock } from '../base/clock.ts';
import { contentHash } from '../base/content-hash.ts';
import { CoHarnessError } from '../base/errors.ts';
import { interruptSignal } from '../base/interrupt-signal.ts';
import { seedFrom } from '../base/random.ts';
import { percent } from '../base/share-text.ts';
import { openSqliteJournal } from '../base/sqlite-journal.ts';
import { runnerOfRun, verifierOfRun } from '../evolution/programs-of-run.ts';
import { recordLook, refuseSealed, type SealedLook } from '../evolution/sealed-test.ts';
import { type RunHeader, readRunHeader } from '../evolution/start-run.ts';
import type { Harness } from '../harness/harness.ts';
import { countNumber, wholeNumber } from '../lab/option-numbers.ts';
import { tokensOf, totalTokens } from '../model/tokens-of.ts';
import { openRegistry } from '../registry/registry.ts';
import { pairHash, type Version } from '../registry/version.ts';
import type { RolloutJob } from '../rollout/rollout-job.ts';
import { runBatch } from '../rollout/run-batch.ts';
import { averageAtK } from '../statistics/average-at-k.ts';
import { contaminationText, possiblySeen } from '../task/contamination.ts';
import { distinctTasks } from '../task/distinct-tasks.ts';
import type { Task } from '../task/task.ts';
import { scoreOf } from '../trajectory/score-of.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { readEvalTasks } from './eval-tasks.ts';
import { findVersion, VERSION_HELP } from './find-version.ts';
import { openRunEngines } from './open-run-engines.ts';
import { findRun, withJournal } from './run-folders.ts';
import { runProgress } from './run-progress.ts';

interface EvalOptions {
  pair: string;
  run?: string;
  tasks: string;
  config?: string;
  repeats: number;
  seed: number;
  out?: string;
  openSealed?: boolean;
  json?: boolean;
}

export function registerEvalCommand(program: Command): void {
  program
    .command('eval')
    .description('any pair of any run on any task file, one line a rollout')
    .option('--pair <pair>', VERSION_HELP, 'champion')
    .option('--run <run>', 'run name or folder; default: the newest')
    .requiredOption('--tasks <file>', 'JSONL with {id, problem, answer}, or raw rows with a mapRow')
    .option(
      '--config <path>',
      'config whose tasks.mapRow turns the rows into tasks; default: the run’s own, where rows need it',
    )
    .option('--repeats <number>', 'rollouts per task', countNumber, 1)
    .option('--seed <number>', 'root seed', wholeNumber, 1)
    .option('--out <file>', 'JSONL of the rollouts')
    .option('--open-sealed', 'allow tasks of the run’s sealed test; counted as a look')
    .option('--json', 'the summary as JSON (schema co-harness/eval@1)')
    .action(evaluate);
}

async function evaluate(options: EvalOptions): Promise<void> {
  if (options.out !== undefined) refuseOut(options.out, options.tasks);
  const { name, folder } = findRun(options.run);
  const rows = await withJournal(folder, async (journal) =>
    readEvalTasks(options.tasks, {
      ...(options.config === undefined ? {} : { config: options.config }),
      folder,
      header: await readRunHeader(journal),
      tell,
    }),
  );
  // In the order of the file, as its reader expects.
  const position = new Map(rows.map(({ id }, index) => [id, index]));
  const tasks = distinctTasks(rows).tasks.sort((a, b) => (position.get(a.id) ?? 0) - (position.get(b.id) ?? 0));
  const subject = await openSubject(folder, options, tasks);
  const seen = possiblySeen(tasks, subject.header.engines.model.released);
  if (seen !== null) tell(`Caution: ${contaminationText(seen, 'tasks')}`);
  // Two at once would each buy what the other has, and keep one of both.
  const trajectories = await withFileLock(
    join(folder, 'eval.lock'),
    () => rollOutTasks(folder, subject, tasks, options),
    { onWait: (owner) => tell(`Process ${owner} evaluates in this run; waiting for it (Ctrl-C stops) …`) },
  );
  const byHash = new Map(tasks.map((task) => [task.hash, task]));
  const lines = trajectories.map((trajectory) =>
    evalLine(trajectory, byHash.get(trajectory.identity.task) as Task, options.seed),
  );
  if (options.out !== undefined) {
    await writeAtomically(options.out, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  }
  const repeats = options.repeats;
  print(summary(name, subject.version, repeats, trajectories), options.json === true);
}

/** Before anything is bought: what was paid for should not fail at its last step, or take the tasks with it. */
function refuseOut(out: string, tasks: string): void {
  const why =
    resolve(out) === resolve(tasks)
      ? 'is the file of the tasks, which it would replace'
      : existsSync(out) && !statSync(out).isFile()
        ? 'is no file'
        : null;
  if (why === null) return;
  throw new CoHarnessError('invalid-out', `--out ${out} ${why}. Name another file.`, { details: { out } });
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}

interface Subject {
  header: RunHeader;
  version: Version;
  harness: Harness;
  /** Those of the tasks that are in the run's sealed test: none without the flag that allows it. */
  opened: readonly Task[];
}

/** The pair that is asked for. Throws CoHarnessError `sealed` where tasks are in the run's sealed test and no flag allows it. */
function openSubject(folder: string, options: EvalOptions, tasks: readonly Task[]): Promise<Subject> {
  return withJournal(folder, async (journal) => {
    const header = await readRunHeader(journal);
    const sealed = new Set<string>(header.sealed);
    refuseSealed(tasks, sealed, options.openSealed === true);
    const registry = openRegistry(join(folder, 'registry'), journal);
    const version = await findVersion(registry, options.pair);
    const harness = await registry.harness(version.pair.harness);
    return { header, version, harness, opened: tasks.filter((task) => sealed.has(task.hash)) };
  });
}

/** Keeps each rollout as it finishes: a command that was stopped continues, and its look at sealed tasks stays one. */
async function rollOutTasks(
  folder: string,
  { header, version, harness, opened }: Subject,
  tasks: readonly Task[],
  options: EvalOptions,
): Promise<Trajectory[]> {
  await using closing = new AsyncDisposableStack();
  const signal = interruptSignal();
  const verifier = verifierOfRun(header, folder, { tell });
  const runner = closing.adopt(runnerOfRun(header, folder, { tell }), async (agent) => agent?.close());
  const engines = await openRunEngines(folder, header, signal);
  closing.defer(engines.close);
  const fixed = {
    harness,
    model: await engines.models.open(version.pair.model),
    split: 'eval' as const,
    verifier,
    sampling: null,
    clock: systemClock,
    signal,
    toolHosts: engines.toolHosts,
    ...(runner === null ? {} : { runner }),
  };
  const jobs = tasks.flatMap((task): RolloutJob[] =>
    Array.from({ length: options.repeats }, (_, repeat) => ({
      ...fixed,
      task,
      repeat,
      seed: seedFrom(options.seed, 'eval', task.hash),
    })),
  );
  const journal = openSqliteJournal(join(folder, 'eval.sqlite'));
  closing.defer(journal.close);
  // What could fail without a look at the tasks has not.
  if (opened.length > 0)
    await countLook(folder, opened, { pair: pairHash(version.pair), seed: options.seed, repeats: options.repeats });
  const progress = runProgress(process.stderr);
  let reused = 0;
  const trajectories = await runBatch(jobs, {
    journal,
    signal,
    onProgress: ({ finished, total, isReused }) => {
      if (isReused) reused++;
      progress({ type: 'progress', seed: 1, round: 0, step: 'eval', done: finished, total });
    },
  });
  if (reused > 0)
    tell(`${reused} of ${jobs.length} rollouts were there already (eval.sqlite of the run); --seed asks for others.`);
  return trajectories;
}

function countLook(folder: string, opened: readonly Task[], rollouts: NonNullable<SealedLook['eval']>): Promise<void> {
  const look = { by: 'eval', seed: null, tasks: opened.length, eval: rollouts } as const;
  return withJournal(folder, (journal) => recordLook(journal, look, opened), false);
}

/** Kept rollouts may be of the same task in another file: its name there is no name here. */
function evalLine(trajectory: Trajectory, { id, group, answer: expected }: Task, seed: number) {
  const { usage, identity } = trajectory;
  return {
    id,
    repeat: identity.repeat,
    seed,
    score: scoreOf(trajectory),
    answer: trajectory.answer,
    expected,
    tokens: tokensOf(usage),
    trajectory: { hash: contentHash(identity), ...trajectory, taskId: id, group },
  };
}

function summary(run: string, { pair, version }: Version, repeats: number, trajectories: readonly Trajectory[]) {
  const rows = trajectories.map((trajectory) => {
    const score = scoreOf(trajectory);
    return { task: trajectory.identity.task, passed: score === null ? null : score === 1 };
  });
  const scored = rows.filter(({ passed }) => passed !== null).length;
  const average = averageAtK(rows);
  return {
    schema: 'co-harness/eval@1',
    run,
    pair: pairHash(pair),
    version,
    tasks: average?.tasks ?? 0,
    repeats,
    rollouts: rows.length,
    scored,
    unscored: rows.length - scored,
    correct: rows.filter(({ passed }) => passed === true).length,
    accuracy: average?.mean ?? null,
    low: average?.low ?? null,
    high: average?.high ?? null,
    solvedOnce: average?.passedOnce ?? 0,
    tokens: totalTokens(trajectories.map(({ usage }) => usage)),
  };
}

function print(result: ReturnType<typeof summary>, json: boolean): void {
  if (json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else if (result.accuracy === null || result.low === null || result.high === null) {
    process.stdout.write(`Nothing could be scored (${result.unscored} rollouts unscored).\n`);
  } else {
    const { correct, scored, tasks, repeats, unscored, solvedOnce, tokens } = result;
    const interval = `95% ${percent(result.low)} to ${percent(result.high)}`;
    const share =
      repeats === 1
        ? `${correct} of ${scored} correct: ${percent(result.accuracy)} (${interval})`
        : `avg@${repeats} ${percent(result.accuracy)} (${interval}, over ${tasks} tasks): ${correct} of ${scored} rollouts correct, ` +
          `${solvedOnce} of ${tasks} tasks solved at least once`;
    process.stdout.write(`${share}, ${unscored} unscored, ${tokens} tokens\n`);
  }
  if (result.scored === 0) process.exitCode = 1;
}
