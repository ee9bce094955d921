import { canonicalJson } from '../../base/content-hash.ts';
import { CoHarnessError } from '../../base/errors.ts';
import type { Harness } from '../../harness/harness.ts';
import { HOOK_NAMES, type HookName } from '../../harness/middleware-kinds.ts';
import { sampleArguments } from '../../harness/sample-arguments.ts';
import type { Task } from '../../task/task.ts';
import type { TrajectoryEvent } from '../../trajectory/trajectory.ts';
import { isCodeDefect } from './code-defect.ts';
import type { DryRunOrder, DryRunResult, RecordedRollout } from './dry-run-order.ts';
import { type HookReplay, replayHooks } from './replay-hooks.ts';

/** Recorded rollouts that new middleware is replayed over: the latest, each of another task. */
const MOST_ROLLOUTS = 8;

/**
 * Replays the middleware that a diff brings in or changes over recorded rollouts: each hook meets the replies, calls and results that were really there. What
 * it says is thrown away, nothing is generated and no tool runs. A hook that fails on any of them is an objection. Hooks that no recorded rollout
 * reaches are called once with made-up events; there only code that cannot work is one.
 */
export async function replayMiddleware(order: DryRunOrder): Promise<DryRunResult> {
  const { parent, child } = order;
  const known = new Map(parent.middleware.map((one) => [one.id, canonicalJson({ ...one })]));
  const fresh = child.middleware.filter((one) => known.get(one.id) !== canonicalJson({ ...one }));
  if (fresh.length === 0) return { tried: [], objection: null };
  const alone: Harness = { ...child, middleware: fresh };
  const rollouts = latestOfEachTask(order.recorded);
  const tried = fresh.map(({ id }) => `middleware "${id}" over ${rollouts.length} recorded rollouts`);
  try {
    return { tried, objection: await objectionTo(alone, rollouts, order) };
  } catch (error) {
    if (!CoHarnessError.isInstance(error, 'sandbox-unavailable')) throw error;
    return { tried, objection: `It cannot run here: ${error.message}`, isUnavailable: true };
  }
}

async function objectionTo(
  harness: Harness,
  rollouts: readonly RecordedRollout[],
  order: DryRunOrder,
): Promise<string | null> {
  const met = new Set<HookName>();
  for (const { trajectory, task } of rollouts) {
    const replay = await replayed(harness, task, trajectory.events, order);
    for (const hook of replay.hooks) met.add(hook);
    const [fault] = replay.faults;
    if (fault !== undefined) {
      return `Middleware ${fault}, replayed over a recorded rollout of train task "${task.id}" without a model.`;
    }
  }
  if (HOOK_NAMES.every((hook) => met.has(hook))) return null;
  const unmet = HOOK_NAMES.filter((hook) => !met.has(hook)).join(', ');
  const madeUp = await replayed(harness, MADE_UP_TASK, madeUpEvents(harness), order);
  const defect = madeUp.faults.find((fault) => !isJudgement(fault));
  return defect === undefined
    ? null
    : `Middleware ${defect}, called with made-up events (${unmet} met no recorded one).`;
}

/** A hook with a short limit may miss it on a busy machine: what only ran out of time is replayed once more. */
async function replayed(
  harness: Harness,
  task: Task,
  events: readonly TrajectoryEvent[],
  { hosts, signal }: DryRunOrder,
): Promise<HookReplay> {
  const once = await replayHooks({ harness, task, toolHosts: hosts }, events, signal);
  const isLate = once.faults.length > 0 && once.faults.every((fault) => TIMED_OUT.test(fault));
  return isLate ? replayHooks({ harness, task, toolHosts: hosts }, events, signal) : once;
}

const TIMED_OUT = /^\S+, \w+: timeout: /;
const THROWN = /^\S+, \w+: error: /;

/** On made-up events a hook may throw for what it was given; it may not be code that does not load, hangs, or answers with no action. */
function isJudgement(fault: string): boolean {
  if (!THROWN.test(fault)) return false;
  // A made-up result lacks members that a real one may have.
  return fault.includes('TypeError') || !isCodeDefect(fault, { conforming: true });
}

function latestOfEachTask(recorded: readonly RecordedRollout[]): RecordedRollout[] {
  const latest = new Map<string, RecordedRollout>();
  for (const one of recorded.toReversed()) {
    const isOwn = one.trajectory.identity.runner === undefined;
    if (isOwn && !latest.has(one.task.hash)) latest.set(one.task.hash, one);
  }
  return [...latest.values()].slice(0, MOST_ROLLOUTS);
}

const MADE_UP_PROBLEM = 'What is 1 and 0?';
const MADE_UP_TASK = { id: 'made-up', problem: MADE_UP_PROBLEM, answer: null, group: 'made-up' } as Task;

/** A call of the first tool, its result, and an answer: every hook is met once. */
function madeUpEvents({ tools, settings }: Harness): TrajectoryEvent[] {
  const tool = tools[0];
  const call = {
    tool: tool?.name ?? 'tool',
    arguments: tool === undefined ? {} : sampleArguments(tool.parameters).values,
  };
  const usage = { promptTokens: 1, completionTokens: 1 };
  const request = { turnKind: 'working', messages: [], sampling: settings.sampling, seed: 0, maxTokens: 1, stop: [] };
  const said = (turn: number, text: string) => {
    return { type: 'model-called', ...request, turn, text, finishReason: 'end', usage };
  };
  const events = [
    said(0, 'I begin with a call.'),
    { type: 'call-parsed', turn: 0, call, raw: '' },
    { type: 'tool-returned', turn: 0, call, value: '1' },
    said(1, 'The answer is 1.'),
    { type: 'answered', from: 'text', answer: 'The answer is 1.' },
  ];
  return events.map((event, index) => ({ id: `e${index}`, atMs: 0, ...event }) as TrajectoryEvent);
}
