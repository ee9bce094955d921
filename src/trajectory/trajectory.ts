import type { ContentHash } from '../base/content-hash.ts';
import type { ChatMessage, FinishReason, ModelIdentity, Sampling, TokenUsage } from '../model/model-backend.ts';
import type { Split } from '../task/task.ts';

/** Boundary at which something failed. `provider`, `sandbox` and `verifier` are infrastructure and never reach the critic. */
export type FaultBoundary = 'provider' | 'sandbox' | 'verifier' | 'tool' | 'middleware' | 'memory' | 'retry';

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
      /** `working` turns may call tools; `final` is the last turn without tools. */
      turnKind: 'working' | 'final';
      messages: ChatMessage[];
      sampling: Sampling;
      seed: number;
      maxTokens: number;
      stop: string[];
      text: string;
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
  /** The last working turn brought no answer. */
  | { type: 'turn-limit-reached'; turn: number }
  /** limits.wallMs ran out before an answer: scored 0, because φ may have caused it. */
  | { type: 'wall-limit-reached'; turn: number }
  | { type: 'answered'; from: 'text' | 'tool'; answer: string | null }
  | { type: 'fault'; boundary: FaultBoundary; problem: string }
);

export type Outcome =
  | { kind: 'scored'; score: number; extracted: string | null; why: string }
  /** Infrastructure: there is no score. */
  | { kind: 'unscored'; boundary: FaultBoundary; why: string };

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
}

export const TRAJECTORY_VERSION = 1;

/** The record of one rollout. Its key in the journal is the hash of `identity`. */
export interface Trajectory {
  version: typeof TRAJECTORY_VERSION;
  identity: RolloutIdentity;
  taskId: string;
  group: string;
  problem: string;
  events: TrajectoryEvent[];
  answer: string | null;
  outcome: Outcome;
  usage: TokenUsage;
  /** Milliseconds from start to outcome, waiting in batches included. */
  wallMs: number;
}
