import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { withFileLock } from '../../bin/file-lock.mjs';
import { type Clock, systemClock } from '../base/clock.ts';
import { type ContentHash, contentHash } from '../base/content-hash.ts';
import { CoHarnessError } from '../base/errors.ts';
import type { Journal } from '../base/journal.ts';
import { once } from '../base/journal.ts';
import { openSqliteJournal } from '../base/sqlite-journal.ts';
import type { CriticReader } from '../critic/reader/critic-reader.ts';
import type { Harness } from '../harness/harness.ts';
import { readHarness } from '../harness/harness-folder.ts';
import type { TokenUsage } from '../model/model-backend.ts';
import { totalTokens } from '../model/tokens-of.ts';
import { proposePatches } from '../patch/propose.ts';
import type { Proposer } from '../patch/proposer.ts';
import { randomPatches } from '../patch/random-patches.ts';
import { openRegistry } from '../registry/registry.ts';
import type { ProgramRunnerOptions } from '../rollout/program/program-runner.ts';
import { requireToolCode } from '../rollout/tools/require-tool-code.ts';
import type { ToolHosts } from '../rollout/tools/tool-hosts.ts';
import { unfilledFields } from '../rollout/unfilled-fields.ts';
import { type CheckedVerifierConfig, checkVerifierConfig, chooseVerifier } from '../task/choose-verifier.ts';
import { type Contamination, possiblySeen } from '../task/contamination.ts';
import { givenSplits } from '../task/given-splits.ts';
import { loadTasks, type MapRow } from '../task/load-tasks.ts';
import { refuseBadGolds } from '../task/refuse-bad-golds.ts';
import { type SplitResult, splitTasks } from '../task/split-tasks.ts';
import type { Task, TaskRow, TaskSplits } from '../task/task.ts';
import type { Verifier } from '../task/verifier.ts';
import { coEvolve } from './co-evolution.ts';
import { firstGates } from './first-gates.ts';
import { openRunner, runnerOptions } from './open-runner.ts';
import { recordPrograms } from './programs-of-run.ts';
import { refuseUnusable } from './refuse-unusable.ts';
import { registryOfProcess } from './registry-of-process.ts';
import { configIdentity, type RunConfig } from './run-config.ts';
import type { ModelPool, RunContext, WeightTrainer } from './run-context.ts';
import { broadcast, type RunObserver } from './run-event.ts';
import { TokenBudget } from './token-budget.ts';
import { whyUntrainable } from './trainable-weights.ts';

/** A config with everything it points at read and checked: nothing was paid yet. */
export interface PreparedRun {
  config: RunConfig;
  harness: Harness;
  splits: TaskSplits;
  verifier: Verifier;
  identity: ContentHash;
  /** Somebody's own agent; absent: our own loop. */
  runner?: ProgramRunnerOptions;
  /** Rows in no split: copies of another row, and members of a group whose split is full. Absent: not counted. */
  leftOut?: { copies: number; unused: number };
  /** Sealed tasks that the weights may have been trained on; absent: none is known. */
  contamination?: Contamination;
  /** What loads and is probably not meant, one sentence each; absent: nothing. */
  cautions?: readonly string[];
  /** The file it was read from. */
  configFile?: string;
}

/**
 * Reads harness and tasks of a config. `configFile` anchors relative paths. Throws CoHarnessError naming file, line and field, and refuses what could only fail
 * after rollouts were paid: what refuseUnusable refuses, `too-few-groups` where no gate could ever decide, `no-trainable-weights` where weights out of reach were to
 * be trained (an estimate tells that as a caution).
 */
export async function prepareRun(
  config: RunConfig,
  configFile: string,
  { isEstimate = false }: { isEstimate?: boolean } = {},
): Promise<PreparedRun> {
  const folder = dirname(resolve(configFile));
  refuseUnusable(config, folder);
  const untrainable = whyUntrainable(config);
  if (untrainable !== null && !isEstimate) throw untrainable;
  const harness = await readSeedHarness(config, resolve(folder, config.harness));
  const { splits, copies, unused } = await readSplits(config, folder);
  firstGates(config, splits);
  const verifier = chooseVerifier(config.verifier, folder);
  refuseJudgeOfTest(verifier, splits.test.length);
  const all: Task[] = [...splits.train, ...splits.gate, ...splits.test];
  const runner = runnerOptions(config, folder);
  const identity = contentHash({
    config: configIdentity(config, all),
    harness: harness.hash,
    verifier: verifier.version,
    // Made splits follow from tasks, sizes and seed; given ones are told apart by what is in them.
    ...(config.tasks.files === undefined ? {} : { splits: hashesOf(splits) }),
    ...(runner === null ? {} : { runner: openRunner(runner)?.version }),
  });
  const contamination = possiblySeen(splits.test, config.model.released);
  // Somebody's own agent fills its prompts itself.
  const unfilled = runner === null ? unfilledFields(harness, all).map((text) => `${config.harness}/${text}`) : [];
  const cautions = [...(untrainable === null ? [] : [`run refuses this config. ${untrainable.message}`]), ...unfilled];
  const prepared = {
    config,
    harness,
    splits,
    verifier,
    identity,
    leftOut: { copies, unused },
    ...(contamination === null ? {} : { contamination }),
    ...(cautions.length === 0 ? {} : { cautions }),
    configFile: resolve(configFile),
  };
  return runner === null ? prepared : { ...prepared, runner };
}

/** φ as its author wrote it. An agent of one's own runs its tools itself. Throws as readHarness and requireToolCode do, with the folder. */
async function readSeedHarness({ runner, tools }: RunConfig, folder: string): Promise<Harness> {
  const harness = await readHarness(folder);
  if (runner !== undefined) return harness;
  try {
    requireToolCode(harness, Object.keys(tools?.mcp ?? {}));
    return harness;
  } catch (error) {
    if (!CoHarnessError.isInstance(error, 'invalid-harness')) throw error;
    throw new CoHarnessError('invalid-harness', `Harness folder ${folder}: ${error.message}`, {
      details: { ...error.details, folder },
      cause: error,
    });
  }
}

/** Before anything is paid: at the end of a run it would be too late. */
function refuseJudgeOfTest({ refusesSealed }: Verifier, tests: number): void {
  if (refusesSealed !== true || tests === 0) return;
  throw new CoHarnessError(
    'judge-on-sealed-test',
    'The verifier is a model judge, and a claim about the sealed test must not rest on one by default. Use another verifier, or say verifier.sealedTest: allow: ' +
      'the report then says who judged.',
  );
}

function hashesOf(splits: TaskSplits): Record<string, ContentHash[]> {
  return Object.fromEntries(
    Object.entries(splits).map(([split, tasks]) => [split, tasks.map(({ hash }) => hash).sort()]),
  );
}

/** Splits as the config's files give them, or made from one set of tasks. */
async function readSplits(config: RunConfig, folder: string): Promise<SplitResult> {
  const { gate, test, train, splitSeed, files, mapRow } = config.tasks;
  const verifier = checkVerifierConfig(config.verifier);
  if (files === undefined) {
    return splitTasks(await taskRows(config, folder, verifier), { gate, test, train, seed: splitSeed });
  }
  const read = (path: string) => rowsOfFile(resolve(folder, path), mapRow, verifier);
  const pool = await read(files.train);
  const sealed = await read(files.test);
  if (files.gate !== undefined) return givenSplits({ train: pool, gate: await read(files.gate), test: sealed });
  const made = splitTasks(pool, { gate, train, test: 0, seed: splitSeed });
  const given = givenSplits({ train: made.splits.train, gate: made.splits.gate, test: sealed });
  return { ...given, copies: made.copies + given.copies, unused: made.unused };
}

/** Throws what loadTasks throws, and `invalid-gold` where the verifier could not use a task's answer. */
async function rowsOfFile(
  file: string,
  mapRow: MapRow | undefined,
  verifier: CheckedVerifierConfig,
): Promise<TaskRow[]> {
  const { rows, lineOf } = await loadTasks(file, { mapRow });
  refuseBadGolds(verifier, rows, { file, lineOf });
  return rows;
}

async function taskRows(config: RunConfig, folder: string, verifier: CheckedVerifierConfig): Promise<TaskRow[]> {
  const { path, mapRow, generate, count, splitSeed } = config.tasks;
  if (path !== undefined) return rowsOfFile(resolve(folder, path), mapRow, verifier);
  if (generate !== undefined) {
    const rows = await generate({ count, seed: splitSeed });
    refuseBadGolds(verifier, rows, { file: 'tasks.generate' });
    return rows;
  }
  throw new CoHarnessError(
    'no-tasks',
    'The config names no tasks. Give tasks.path (a JSONL file), tasks.files (one file a split) or tasks.generate (a function).',
  );
}

export interface RunEngines {
  models: ModelPool;
  trainer: WeightTrainer;
  /** Where tools run; default: see `RolloutJob`. */
  toolHosts?: ToolHosts;
  /** What `critic.by` names; absent or null = the evidence alone. */
  reader?: CriticReader | null;
  /** What `proposer` names, where it is a model or a command. */
  proposalReader?: CriticReader | null;
}

export interface RunOptions {
  prepared: PreparedRun;
  folder: string;
  engines: RunEngines;
  observers: readonly RunObserver[];
  signal: AbortSignal;
  clock?: Clock;
  /** Stays open. Default: the folder's own, closed at the end. */
  journal?: Journal;
  /** Default: the one that the config names. */
  proposer?: Proposer;
}

/**
 * Runs the alternation for every seed of the config, in order, in one run folder. Resumes when the folder holds a journal of the same run. Rejects
 * with CoHarnessError `run-in-use` while another process works in the folder.
 */
export async function executeRun(options: RunOptions): Promise<void> {
  const refuse = (owner: number) => {
    throw new CoHarnessError(
      'run-in-use',
      `${owner > 0 ? `Process ${owner}` : 'Another process'} is working in ${options.folder}. Wait for it, stop it, or give this run another --name.`,
      { details: { folder: options.folder, owner } },
    );
  };
  await withFileLock(join(options.folder, 'run.lock'), () => executeSeeds(options), { onWait: refuse });
}

async function executeSeeds(options: RunOptions): Promise<void> {
  const { prepared, folder, engines, signal } = options;
  const clock = options.clock ?? systemClock;
  const journal = options.journal ?? openSqliteJournal(join(folder, 'run.sqlite'));
  const runner = openRunner(prepared.runner ?? null);
  const surroundings = {
    ...(runner === null ? {} : { runner }),
    ...(engines.toolHosts === undefined ? {} : { toolHosts: engines.toolHosts }),
  };
  try {
    await claimJournal(journal, prepared, engines.models.base.base, folder);
    const tokens = new TokenBudget(prepared.config.budget.tokens, await tokensRecorded(journal));
    for (let seed = 1; seed <= prepared.config.seeds; seed++) {
      const context: RunContext = {
        config: prepared.config,
        folder,
        seed,
        seedHarness: prepared.harness,
        splits: prepared.splits,
        verifier: prepared.verifier,
        journal,
        registry: registryOfProcess(openRegistry(join(folder, 'registry'), journal)),
        models: engines.models,
        trainer: engines.trainer,
        surroundings,
        propose: options.proposer ?? (prepared.config.proposer === 'random' ? randomPatches : proposePatches),
        tokens,
        reader: engines.reader ?? null,
        proposalReader: engines.proposalReader ?? null,
        clock,
        secondsSpentBefore: await secondsRecorded(journal, seed),
        startedAt: clock.now(),
        signal,
        emit: broadcast(options.observers),
        trainHistory: new Map(),
        reused: new WeakSet(),
        throughput: { secondsPerRollout: 1, tokensPerRollout: 1, secondsPerTrainingRow: 1, secondsByPair: {} },
      };
      await coEvolve(context);
    }
  } finally {
    await runner?.close();
    if (options.journal === undefined) await journal.close();
  }
}

/** What a run was started with; the first journal row. */
export interface RunHeader {
  identity: ContentHash;
  name: string;
  seeds: number;
  model: string;
  base: ContentHash;
  verifier: RunConfig['verifier'];
  /** What the engines are opened from, for `eval` and `export`. */
  engines: Pick<RunConfig, 'model' | 'alignment' | 'only' | 'tools'>;
  /** Absent: our own loop. Its folder is relative to the run folder; headers from before `versions` have an absolute one. */
  runner?: ProgramRunnerOptions;
  /** Of verifier and agent, files of their commands included; headers from before this field lack it. */
  versions?: { verifier: ContentHash; runner?: ContentHash };
  /** Content hashes of the sealed tasks. */
  sealed: ContentHash[];
  splits: { train: number; gate: number; test: number };
  config: Record<string, unknown>;
  /** Sealed tasks that the weights may have been trained on; absent: none is known. */
  contamination?: Contamination;
  /** The config's file, relative to the run folder; headers from before this field lack it. */
  configFile?: string | null;
  /** Where programs of MCP servers start, relative to the run folder; absent: there are none, or the run is from before this was kept. */
  mcpDirectory?: string;
}

async function claimJournal(journal: Journal, prepared: PreparedRun, base: ContentHash, folder: string): Promise<void> {
  const { config, splits } = prepared;
  const header = await once<RunHeader>(journal, 'run', contentHash({ step: 'run' }), async () => ({
    identity: prepared.identity,
    name: config.name,
    seeds: config.seeds,
    model: config.model.source,
    base,
    ...recordPrograms(prepared, folder),
    engines: {
      model: config.model,
      alignment: config.alignment,
      only: config.only,
      ...(config.tools === undefined ? {} : { tools: config.tools }),
    },
    sealed: splits.test.map((task) => task.hash).sort(),
    splits: { train: splits.train.length, gate: splits.gate.length, test: splits.test.length },
    config: configIdentity(config, []),
    ...(prepared.contamination === undefined ? {} : { contamination: prepared.contamination }),
    ...(hasMcpPrograms(config) ? { mcpDirectory: relative(folder, process.cwd()) } : {}),
  }));
  if (header.identity === prepared.identity && header.base === base) return;
  throw new CoHarnessError(
    'run-mismatch',
    `${folder} belongs to another configuration, harness or set of tasks (${header.name}). Start a new run, or restore what changed.`,
    { details: { folder, expected: header.identity, actual: prepared.identity } },
  );
}

/** Whether tools are programs of MCP servers, which start in the folder that `run` was typed in. */
export function hasMcpPrograms({ tools }: Pick<RunConfig, 'tools'>): boolean {
  return Object.values(tools?.mcp ?? {}).some((server) => 'command' in server);
}

/** Undefined where the journal holds no run yet. */
export async function runHeader(journal: Journal): Promise<RunHeader | undefined> {
  return (await journal.get(contentHash({ step: 'run' }))) as RunHeader | undefined;
}

/** Throws CoHarnessError `empty-run`. */
export async function readRunHeader(journal: Journal): Promise<RunHeader> {
  const header = await runHeader(journal);
  if (header !== undefined) return header;
  throw new CoHarnessError('empty-run', 'This run folder holds no run. Start one with: npx co-harness run');
}

/** Seconds of a seed's time budget that earlier processes used, as recorded at its last plan. */
async function secondsRecorded(journal: Journal, seed: number): Promise<number> {
  const plans = (await journal.entries('plan')).map((entry) => entry.value as { seed: number; elapsedSeconds: number });
  return Math.max(0, ...plans.filter((plan) => plan.seed === seed).map((plan) => plan.elapsedSeconds));
}

/** Tokens of everything that earlier processes kept. */
async function tokensRecorded(journal: Journal): Promise<number> {
  const kinds = ['rollout', 'replay', 'critique', 'proposal'];
  const kept = (await Promise.all(kinds.map((kind) => journal.entries(kind)))).flat();
  const paid = kept.map(({ value }) => value as { usage: TokenUsage; verifierUsage?: TokenUsage });
  return totalTokens(paid.flatMap(({ usage, verifierUsage }) => [usage, verifierUsage]));
}

/** True when the folder holds a run. */
export function isRunFolder(folder: string): boolean {
  return existsSync(join(folder, 'run.sqlite'));
}
