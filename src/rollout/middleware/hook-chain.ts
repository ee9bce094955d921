import { AbortedError, CoHarnessError, errorMessage, InvariantError } from '../../base/errors.ts';
import type { HarnessTool } from '../../harness/harness.ts';
import type { HookName } from '../../harness/middleware-kinds.ts';
import type { MiddlewareAction, ToolCall } from '../../trajectory/trajectory.ts';
import type { Conversation } from '../conversation.ts';
import type { EventLog } from '../event-log.ts';
import type { RolloutJob } from '../rollout-job.ts';
import { sharedToolHosts } from '../tools/tool-hosts.ts';
import type { CallOutcome, Hooked, HookScene, Middleware, Reply } from './middleware.ts';
import { openMiddleware } from './middleware-library.ts';

/** A text that the model is to be shown in place of what would have come; null = go on as usual. */
export interface Continuation {
  askAgain: string | null;
}

/** What hooks are told of a rollout, and where their code runs. */
export type HookedJob = Pick<RolloutJob, 'harness' | 'task' | 'toolHosts'>;

/** All middleware of φ as one. Rejects only with AbortedError, InvariantError, or CoHarnessError where infrastructure failed. */
export interface HookChain {
  start(): Promise<void>;
  beforeModel(turn: number): Promise<void>;
  afterModel(turn: number, reply: Reply): Promise<Reply & Continuation>;
  /** The call to check and run, or the text that answers it instead. */
  beforeTool(turn: number, call: ToolCall, tool: HarnessTool | null): Promise<CallToRun>;
  /** What the model is shown of it. */
  afterTool(turn: number, outcome: CallOutcome): Promise<string>;
  finish(turn: number, answer: string | null): Promise<Ending>;
}

export interface CallToRun {
  call: ToolCall;
  stopped: string | null;
}

export interface Ending extends Continuation {
  answer: string | null;
}

interface Acted {
  action: MiddlewareAction;
  detail: string;
  setsAside?: boolean;
  /** Later middleware is not asked: it sees the next turn. */
  isLast?: boolean;
}

/** Calls one hook of every middleware in order; `apply` carries an action out and says what to record. */
type Each = <Action extends { kind: string }>(
  hook: HookName,
  turn: number,
  call: (hooks: Middleware, scene: HookScene) => Hooked<Action> | undefined,
  apply: (action: Action) => Acted,
) => Promise<void>;

export function hookChain(job: HookedJob, conversation: Conversation, log: EventLog, signal: AbortSignal): HookChain {
  const each = eachHook(job, log, signal);
  return {
    start: () =>
      each(
        'start',
        0,
        (hooks, scene) => hooks.start?.(scene),
        ({ text }) => say(conversation, text),
      ),
    beforeModel: (turn) => beforeModel(each, conversation, turn),
    afterModel: (turn, reply) => afterModel(each, turn, reply),
    beforeTool: (turn, call, tool) => beforeTool(each, turn, call, tool),
    afterTool: (turn, outcome) => afterTool(each, turn, outcome),
    finish: (turn, answer) => finish(each, turn, answer),
  };
}

function eachHook(job: HookedJob, log: EventLog, signal: AbortSignal): Each {
  const { harness, task } = job;
  const sandbox = (job.toolHosts ?? sharedToolHosts()).javaScript;
  const shared = { problem: task.problem, sandbox, signal };
  const links = harness.middleware.map((settings) => {
    const { id, kind, code } = settings;
    return { id, kind, hooks: openMiddleware(settings, { id, code, ...shared }) };
  });
  return async (hook, turn, call, apply) => {
    const scene = { turn, turnsLeft: harness.settings.limits.turns - turn - 1 };
    for (const { id, kind, hooks } of links) {
      if (hooks[hook] === undefined) continue;
      const action = await attempt(id, hook, () => call(hooks, scene), log);
      if (action === null || (action.kind === 'ask-again' && scene.turnsLeft === 0)) continue;
      const { isLast = false, setsAside = false, ...acted } = apply(action);
      log.record({ type: 'middleware-acted', turn, middleware: id, kind, hook, ...acted, setsAside });
      if (isLast) return;
    }
  };
}

async function attempt<Action>(
  id: string,
  hook: HookName,
  call: () => Hooked<Action> | undefined,
  log: EventLog,
): Promise<Action | null> {
  try {
    return (await call()) ?? null;
  } catch (error) {
    const isFatal = error instanceof AbortedError || error instanceof InvariantError;
    if (isFatal || CoHarnessError.isInstance(error, 'sandbox-unavailable')) throw error;
    log.record({ type: 'fault', boundary: 'middleware', problem: `${id}, ${hook}: ${errorMessage(error)}` });
    return null;
  }
}

function say(conversation: Conversation, text: string): Acted {
  conversation.appendUser(text);
  return { action: 'said', detail: text };
}

function askAgain(target: Continuation, text: string): Acted {
  target.askAgain = text;
  return { action: 'asked-again', detail: text, setsAside: true, isLast: true };
}

async function beforeModel(each: Each, conversation: Conversation, turn: number): Promise<void> {
  const { history } = conversation;
  await each(
    'beforeModel',
    turn,
    (hooks, scene) => hooks.beforeModel?.(history, scene),
    (action) => {
      if (action.kind === 'say') return say(conversation, action.text);
      history.splice(0, history.length, ...action.history);
      return { action: 'rewrote-history', detail: action.detail };
    },
  );
}

async function afterModel(each: Each, turn: number, reply: Reply): Promise<Reply & Continuation> {
  const heard: Reply & Continuation = { ...reply, askAgain: null };
  await each(
    'afterModel',
    turn,
    (hooks, scene) => hooks.afterModel?.(heard, scene),
    (action) => {
      if (action.kind === 'ask-again') return askAgain(heard, action.text);
      heard.calls = action.calls;
      heard.unreadable = null;
      const detail = JSON.stringify(action.calls.map(({ call }) => call));
      return { action: 'repaired-call', detail, setsAside: true };
    },
  );
  return heard;
}

async function beforeTool(each: Each, turn: number, call: ToolCall, tool: HarnessTool | null): Promise<CallToRun> {
  const next: CallToRun = { call, stopped: null };
  await each(
    'beforeTool',
    turn,
    (hooks, scene) => hooks.beforeTool?.(next.call, tool, scene),
    (action) => {
      if (action.kind === 'stop') {
        next.stopped = action.text;
        return { action: 'stopped-call', detail: action.text, setsAside: true, isLast: true };
      }
      next.call = { tool: call.tool, arguments: action.arguments };
      return { action: 'changed-arguments', detail: JSON.stringify(action.arguments), setsAside: true };
    },
  );
  return next;
}

async function afterTool(each: Each, turn: number, outcome: CallOutcome): Promise<string> {
  let { text } = outcome;
  await each(
    'afterTool',
    turn,
    (hooks, scene) => hooks.afterTool?.({ ...outcome, text }, scene),
    (action) => {
      text = action.text;
      return { action: 'changed-result', detail: text };
    },
  );
  return text;
}

async function finish(each: Each, turn: number, answer: string | null): Promise<Ending> {
  const end: Ending = { answer, askAgain: null };
  await each(
    'finish',
    turn,
    (hooks, scene) => hooks.finish?.(end.answer, scene),
    (action) => {
      if (action.kind === 'ask-again') return askAgain(end, action.text);
      end.answer = action.answer;
      return { action: 'changed-answer', detail: action.answer ?? '(none)', setsAside: true };
    },
  );
  return end;
}
