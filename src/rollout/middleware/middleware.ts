import type { HarnessTool } from '../../harness/harness.ts';
import type { MiddlewareKind, MiddlewareOptions } from '../../harness/middleware-kinds.ts';
import type { ChatMessage, FinishReason } from '../../model/model-backend.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { ToolCall } from '../../trajectory/trajectory.ts';
import type { ParsedReply } from '../call-dialect.ts';

/** What every hook is told. */
export interface HookScene {
  /** The turn that runs, from 0. */
  turn: number;
  /** Model calls that are possible after this turn, final turn included. At 0 nobody can be asked again. */
  turnsLeft: number;
}

/** A reply of a working turn, as the dialect read it. */
export interface Reply extends ParsedReply {
  finishReason: FinishReason;
  /** What the model wrote, before a closing text was put back. */
  written: string;
}

/** A call that was answered. `value` is null when it was refused or failed; `text` is what the model will be shown. */
export interface CallOutcome {
  call: ToolCall;
  value: string | null;
  text: string;
}

/** What a hook may do; null = nothing. Each is recorded as an event with the text it brings in. */
export type Say = { kind: 'say'; text: string };
/** The reply that led to it is never a training target: it was not good enough to go on with. */
export type AskAgain = { kind: 'ask-again'; text: string };

/**
 * One middleware in one pass of the loop; state lives in its closure and ends with the pass. Hooks run in the order of φ's files; what one changed
 * is what the next one sees. A hook that throws is a recorded fault and counts as one that did nothing.
 */
export interface Middleware {
  /** Once, before the first model call. `say` adds to the task. */
  start?(scene: HookScene): Hooked<Say>;
  /** Before each model call. `say` adds to the user's last turn; `use-history` replaces the turns after the task. */
  beforeModel?(
    history: readonly Readonly<ChatMessage>[],
    scene: HookScene,
  ): Hooked<Say | { kind: 'use-history'; history: ChatMessage[]; detail: string }>;
  /** After each working reply. `ask-again` shows the model a text in place of any result; `use-calls` is what should have been read. */
  afterModel?(reply: Reply, scene: HookScene): Hooked<AskAgain | ({ kind: 'use-calls' } & Pick<Reply, 'calls'>)>;
  /** Before each call is checked and run. `stop` answers it with a text and does not run it. `tool` is null where none has that name. */
  beforeTool?(
    call: ToolCall,
    tool: HarnessTool | null,
    scene: HookScene,
  ): Hooked<{ kind: 'stop'; text: string } | { kind: 'use-arguments'; arguments: ToolCall['arguments'] }>;
  /** After each call. `show` replaces what the model is shown; the value itself stays. */
  afterTool?(outcome: CallOutcome, scene: HookScene): Hooked<{ kind: 'show'; text: string }>;
  /** When there is an answer, or none and the loop ends (null). `ask-again` goes on where a turn is left. */
  finish?(answer: string | null, scene: HookScene): Hooked<AskAgain | { kind: 'use-answer'; answer: string | null }>;
}

export type Hooked<Action> = Action | null | Promise<Action | null>;

/** Runs hooks of kind `js`, each in a fresh world. */
export type HookSandbox = Pick<Sandbox, 'run'>;

/** What a kind may need of the pass beside its options. */
export interface MiddlewareSurroundings {
  id: string;
  /** Text of the entry file of kind `js`. */
  code: string | null;
  problem: string;
  sandbox: HookSandbox;
  signal: AbortSignal;
}

/** Makes the middleware of one pass. */
export type MiddlewareFactory<Kind extends MiddlewareKind> = (
  options: MiddlewareOptions<Kind>,
  surroundings: MiddlewareSurroundings,
) => Middleware;
