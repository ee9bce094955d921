import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { contentHash } from '../../base/content-hash.ts';
import { AbortedError, errorMessage } from '../../base/errors.ts';
import { fileHashOrNull } from '../../base/file-hash.ts';
import { writeHarness } from '../../harness/harness-folder.ts';
import { type ProgramEnd, runProgram } from '../../sandbox/run-program.ts';
import type { Episode } from '../episode.ts';
import { type EventLog, eventLog } from '../event-log.ts';
import type { RolloutJob, Runner } from '../rollout-job.ts';
import { timeIsOver } from '../time-is-over.ts';
import { type WallLimit, wallLimit } from '../wall-limit.ts';
import { type MeteredCalls, meteredCalls } from './metered-calls.ts';
import { GATEWAY_MODEL, type ModelGateway, openModelGateway } from './model-gateway.ts';
import { readProgramAnswer } from './program-answer.ts';

const CODE_VERSION = 1;

export type ProgramRunnerOptions =
  /** Program and arguments, without a shell; relative paths are looked up in `directory`. */
  | { kind: 'command'; command: readonly [string, ...string[]]; directory: string }
  /** An address that takes what a program would get on standard input, by POST, and answers what it would print. */
  | { kind: 'url'; url: string };

/**
 * Lets somebody's own agent take φ through a task. It is given the task, a folder with φ's files and an address to call the model through; it
 * gives the answer and, if it can, its trajectory. docs/formats.md has the protocol.
 *
 * `version` covers the command and the content of the files it names, or the address.
 */
export function programRunner(options: ProgramRunnerOptions): Runner {
  let gateway: Promise<ModelGateway> | undefined;
  return {
    version: contentHash({ ...identityOf(options), code: CODE_VERSION }),
    pass: async (job, startMs, vote) => {
      gateway ??= openModelGateway();
      return pass(options, await gateway, job, startMs, vote);
    },
    close: async () => {
      await (await gateway)?.close();
      gateway = undefined;
    },
  };
}

function identityOf(options: ProgramRunnerOptions): object {
  if (options.kind === 'url') return options;
  const { kind, command, directory } = options;
  return { kind, command, files: command.map((part) => fileHashOrNull(resolve(directory, part))) };
}

async function pass(
  options: ProgramRunnerOptions,
  gateway: ModelGateway,
  job: RolloutJob,
  startMs: number,
  vote: number | null,
): Promise<Episode> {
  const log = eventLog(job.clock, startMs, vote);
  const limit = wallLimit(job.clock, startMs, job.harness.settings.limits.wallMs, job.signal);
  const calls = meteredCalls({ job, log, limit, vote });
  const admission = gateway.admit(calls);
  let folder: string | null = null;
  try {
    folder = await mkdtemp(join(tmpdir(), 'co-harness-agent-'));
    const harness = join(folder, 'harness');
    await writeHarness(harness, job.harness);
    const order = { url: gateway.url, token: admission.token, harness, vote };
    const end = await start(options, job, order, limit.signal);
    admission.end();
    await calls.end();
    if (job.signal?.aborted) throw new AbortedError();
    return conclude(job, log, limit, calls, end);
  } catch (error) {
    if (error instanceof AbortedError) throw error;
    const fault = { boundary: 'sandbox', problem: errorMessage(error) } as const;
    log.record({ type: 'fault', ...fault });
    return { events: log.events, usage: log.usage, answer: null, wallLimitReached: false, fault };
  } finally {
    admission.end();
    limit.end();
    if (folder !== null) await rm(folder, { recursive: true, force: true });
  }
}

interface Order {
  url: string;
  token: string;
  harness: string;
  vote: number | null;
}

/** PATH of the program: `node` means the Node that we run on, also where the user's own is older. */
export function pathOfRunner(): string {
  return [dirname(process.execPath), process.env.PATH].filter(Boolean).join(delimiter);
}

/** Never holds the expected answer. */
function inputOf({ task, harness, seed, repeat }: RolloutJob, order: Order): string {
  const { turns, tokensPerTurn, wallMs } = harness.settings.limits;
  return `${JSON.stringify({
    version: 1,
    task: { id: task.id, problem: task.problem, fields: task.fields ?? {} },
    harness: order.harness,
    model: { url: order.url, token: order.token, name: GATEWAY_MODEL },
    limits: { turns, tokensPerTurn, wallMs },
    seed,
    repeat,
    vote: order.vote ?? 0,
  })}\n`;
}

function start(options: ProgramRunnerOptions, job: RolloutJob, order: Order, signal: AbortSignal): Promise<ProgramEnd> {
  const input = inputOf(job, order);
  if (options.kind === 'url') return post(options.url, input, signal);
  const environment = {
    ...process.env,
    PATH: pathOfRunner(),
    CO_HARNESS_HARNESS: order.harness,
    OPENAI_BASE_URL: order.url,
    OPENAI_API_KEY: order.token,
    OPENAI_MODEL: GATEWAY_MODEL,
  };
  return runProgram({ ...options, environment, input, signal });
}

async function post(url: string, input: string, signal: AbortSignal): Promise<ProgramEnd> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: input,
      signal,
    });
    const text = await response.text();
    if (response.ok) return { kind: 'printed', text };
    const problem = `${url} answered ${response.status}: ${text.slice(0, 300)}`;
    return { kind: response.status === 429 || response.status === 503 ? 'infrastructure' : 'crashed', problem };
  } catch (error) {
    if (signal.aborted) return { kind: 'stopped' };
    const cause = error instanceof Error && error.cause !== undefined ? ` (${errorMessage(error.cause)})` : '';
    return { kind: 'infrastructure', problem: `${url} cannot be reached: ${errorMessage(error)}${cause}` };
  }
}

/** A failing engine outweighs whatever the program made of it. */
function conclude(job: RolloutJob, log: EventLog, limit: WallLimit, calls: MeteredCalls, end: ProgramEnd): Episode {
  const episode: Episode = { events: log.events, usage: log.usage, answer: null, wallLimitReached: false, fault: null };
  if (calls.fault !== null) return { ...episode, fault: calls.fault };
  if (end.kind === 'stopped' || limit.isReached()) {
    // φ's doing, unless it asked an engine that has answered nothing.
    const isEngineFault = calls.finished === 0 && calls.cutShort > 0;
    const { wallMs } = job.harness.settings.limits;
    return { ...episode, ...timeIsOver(log, { turn: calls.finished, isEngineFault, wallMs }) };
  }
  if (end.kind === 'infrastructure') {
    const fault = { boundary: 'sandbox', problem: end.problem } as const;
    log.record({ type: 'fault', ...fault });
    return { ...episode, fault };
  }
  const said = end.kind === 'printed' ? readProgramAnswer(end.text) : end.problem;
  if (typeof said === 'string') {
    log.record({ type: 'fault', boundary: 'middleware', problem: said });
    log.record({ type: 'answered', from: 'text', answer: null });
    return episode;
  }
  const events = withSteps(log, said.steps);
  const { answer } = said;
  log.record({ type: 'answered', from: 'text', answer });
  const answered = log.events.at(-1);
  return { ...episode, events: answered === undefined ? events : [...events, answered], answer };
}

/** What the meter saw, and behind each model call what the program says it did with the reply. */
function withSteps(log: EventLog, steps: Parameters<typeof eventsBehind>[1]): Episode['events'] {
  const metered = [...log.events];
  const turns = metered.flatMap((event) => (event.type === 'model-called' ? [event.turn] : []));
  const placed = metered.flatMap((event) =>
    event.type === 'model-called' ? [event, ...eventsBehind(event, steps, turns.indexOf(event.turn))] : [event],
  );
  const last = metered.findLast(({ type }) => type === 'model-called') ?? { id: '', atMs: 0 };
  const unmetered = steps.slice(turns.length).flatMap((_, index) => eventsBehind(last, steps, turns.length + index));
  return [...placed, ...unmetered];
}

function eventsBehind(
  { atMs, vote }: Pick<Episode['events'][number], 'atMs' | 'vote'>,
  steps: Extract<ReturnType<typeof readProgramAnswer>, object>['steps'],
  index: number,
): Episode['events'] {
  const stamp = { id: '', atMs, ...(vote === undefined ? {} : { vote }) };
  return (steps[index] ?? []).map((event) => ({ ...stamp, ...event }) as Episode['events'][number]);
}
