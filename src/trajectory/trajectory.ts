import type { ContentHash } from '../base/content-hash.ts';
import type { HookName } from '../harness/middleware-kinds.ts';
import type {
  ChatMessage,
  FinishReason,
  ModelIdentity,
  NativeCall,
  Sampling,
  TokenUsage,
} from '../model/model-backend.ts';
import type { Split } from '../task/task.ts';
import type { VerifierUsage } from '../task/verifier.ts';

/** Boundary at which something failed. `provider`, `sandbox` and `verifier` are infrastructure and never reach the critic. */
export type FaultBoundary = 'provider' | 'sandbox' | 'verifier' | 'tool' | 'middleware' | 'memory' | 'retry';

export const TURN_KINDS = ['working', 'final', 'summary'] as const;
export type TurnKind = (typeof TURN_KINDS)[number];

export const MIDDLEWARE_ACTIONS = [
  'said',
  'rewrote-history',
  'asked-again',
  'repaired-call',
  'stopped-call',
  'changed-arguments',
  'changed-result',
  'changed-answer',
] as const;
export type MiddlewareAction = (typeof MIDDLEWARE_ACTIONS)[number];

export const MEMORY_ACTIONS = ['noted', 'forgot-note', 'shortened', 'summarised', 'recalled', 'left-out'] as const;
export type MemoryAction = (typeof MEMORY_ACTIONS)[number];

export interface ToolCall {
  tool: string;
  arguments: Record<string, unknown>;
}

/**
 * What happened, in order; `id` is `e0`, `e1`, … within the rollout, and what attributions point at. `model-called` events hold what was really sent.
 * `atMs` counts from the start of the rollout. `vote` tells the sub-rollouts of a voting harness apart (0, 1, …; each counts its own turns); absent without votes.
 */
export type TrajectoryEvent = { id: string; atMs: number; vote?: number } & (
  | {
      type: 'model-called';
      turn: number;
      /**
       * `working` turns may call tools; `final` is the last turn without tools; `summary` is a request of the memory policy before the turn of that
       * number, no turn of the conversation.
       */
      turnKind: TurnKind;
      messages: ChatMessage[];
      sampling: Sampling;
      seed: number;
      maxTokens: number;
      stop: string[];
      text: string;
      /** Calls of the native tool protocol, arguments as the model wrote them; absent without. */
      calls?: NativeCall[];
      /** Names of the tools that the server was offered beside the messages; absent for calls in text. */
      offered?: string[];
      finishReason: FinishReason;
      usage: TokenUsage;
      promptTokenIds?: number[];
      completionTokenIds?: number[];
      modelEcho?: string;
    }
  | { type: 'call-parsed'; turn: number; call: ToolCall; raw: string }
  /** Something that looks like a call could not be read. `problem` says why; `raw` is the text. */
  | { type: 'call-unreadable'; turn: number; raw: string; problem: string }
  /** A reply of a working turn held no call at all, while tools were offered. */
  | { type: 'no-call'; turn: number }
  | { type: 'tool-refused'; turn: number; call: ToolCall; problem: string }
  | { type: 'tool-returned'; turn: number; call: ToolCall; value: string }
  | { type: 'tool-failed'; turn: number; call: ToolCall; errorType: string; problem: string }
  | { type: 'history-trimmed'; turn: number; droppedMessages: number }
  /** A middleware did something. `detail`: what it inserted or changed. */
  | {
      type: 'middleware-acted';
      turn: number;
      /** Its id, e.g. `10-loop`. */
      middleware: string;
      kind: string;
      hook: HookName;
      /** Stable name of what it did, e.g. `asked-again`. */
      action: MiddlewareAction;
      detail: string;
      /** Whether it set aside what the model wrote in this turn: such a turn is never a training target. */
      setsAside: boolean;
    }
  /** The memory policy did something; what it dropped or shortened stands in `detail`. */
  | { type: 'memory-acted'; turn: number; action: MemoryAction; detail: string }
  /** A skill came into the prompt, by its rule or by the model's own call. */
  | { type: 'skill-loaded'; turn: number; skill: string; by: 'rule' | 'call' }
  /** φ runs something once more by itself after a pause. */
  | { type: 'retried'; turn: number; what: 'model' | 'tool'; attempt: number; pauseMs: number; why: string }
  /** The vote was decided before all passes had run. */
  | { type: 'votes-decided'; ran: number; of: number }
  /** The last working turn brought no answer. */
  | { type: 'turn-limit-reached'; turn: number }
  /** limits.wallMs ran out before an answer: scored 0, because φ may have caused it. */
  | { type: 'wall-limit-reached'; turn: number }
  | { type: 'answered'; from: 'text' | 'tool'; answer: string | null }
  | { type: 'fault'; boundary: FaultBoundary; problem: string }
);

/**
 * Why a rollout has no score, where its φ, or the answer that this led to, may have been the cause. Where the other one of a pair has a score, the gate counts it. Every
 * other cause says nothing of φ: a server that is down, an engine that failed, a tool back end or sandbox that is not there or died, a gold that cannot be used, a
 * verifier that does not start or must not judge.
 *
 * `slow-generation`: the time of the rollout ended before the first model call did, and the engine had reported no failure.
 * `refused-request`: a server that works does not take what was asked, or does not give away what came of it; a chat template does not take the messages.
 * `unjudged-answer`: a verifier that works gave no verdict on this answer. Its program took too long, ended with an error or printed something else; a judge's votes tie
 * or cannot be read; it threw, or gave a score outside [0, 1].
 */
export const OWN_CAUSES = ['slow-generation', 'refused-request', 'unjudged-answer'] as const;
export type OwnCause = (typeof OWN_CAUSES)[number];

export type Outcome =
  | { kind: 'scored'; score: number; extracted: string | null; why: string }
  /** There is no score: infrastructure, or what looks like it. `cause` is absent where it cannot depend on φ. */
  | { kind: 'unscored'; boundary: FaultBoundary; why: string; cause?: OwnCause };

/** Everything that decides a rollout. Never a position. */
export interface RolloutIdentity {
  harness: ContentHash;
  model: ModelIdentity;
  task: ContentHash;
  split: Split | 'eval';
  repeat: number;
  /** Root seed of the rollout; the seed of call n is derived from it. */
  seed: number;
  verifier: ContentHash;
  /** Overrides the harness's sampling (mining and D_t sample at temperature > 0); null = φ's own. */
  sampling: Sampling | null;
  /** Hash of the agent program that ran φ; absent for our own loop. */
  runner?: ContentHash;
}

/** 2 added events of middleware, memory, skills, retry and votes, and native calls in messages; what version 1 had is unchanged. */
export const TRAJECTORY_VERSION = 2;

/** The record of one rollout. Its key in the journal is the hash of `identity`. */
export interface Trajectory {
  version: 1 | typeof TRAJECTORY_VERSION;
  identity: RolloutIdentity;
  taskId: string;
  group: string;
  problem: string;
  events: TrajectoryEvent[];
  answer: string | null;
  outcome: Outcome;
  usage: TokenUsage;
  /** What a model that judged the answer has used, on top of `usage`; absent without one. */
  verifierUsage?: VerifierUsage;
  /** Milliseconds from start to outcome, waiting in batches included. */
  wallMs: number;
}
