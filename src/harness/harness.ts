import type { ContentHash } from '../base/content-hash.ts';
import type { MiddlewareSettings } from './middleware-kinds.ts';
import type { HarnessSkill } from './read-skills.ts';

/** Component kinds that a diff can name; each has its place in the folder format. */
export const COMPONENT_KINDS = [
  'settings',
  'prompt',
  'example',
  'tool',
  'skill',
  'middleware',
  'memory',
  'retry',
] as const;
export type ComponentKind = (typeof COMPONENT_KINDS)[number];

/**
 * How the model writes a tool call: in plain text, or in the server's own protocol. All forms are data: nothing here knows a tool.
 *
 * `json`: a JSON object `{"name": …, "arguments": {…}}` anywhere in the reply.
 * `native`: calls of the server's tool protocol, for engines that have one; tools are offered beside the messages. `open`, `close` stay empty.
 * `tags`: text between `open` and `close`; `fenced`: a ``` block whose info string is `open`.
 * `{tool}` in `open`/`close` stands for the tool's name; without it there must be exactly one tool or `body: call`.
 * `body`: `call` = the JSON object above; `arguments` = a JSON object of the arguments; `argument` = the raw text is the value of
 * the tool's only required string argument.
 */
export interface CallDialect {
  kind: 'json' | 'tags' | 'fenced' | 'native';
  open: string;
  close: string;
  body: 'call' | 'arguments' | 'argument';
}

export interface HarnessSettings {
  name: string;
  protocol: {
    dialect: CallDialect;
    /** Role under which a tool's result is shown to the model. */
    toolResultRole: 'user' | 'tool';
    /** Stop strings of a working turn. */
    stop: readonly string[];
  };
  answer: {
    /** `text`: the final reply's text is the answer. `tool`: the value of the last successful call is. */
    from: 'text' | 'tool';
  };
  limits: {
    /** Model calls per rollout, final turn included; ≥ 1. */
    turns: number;
    /** Generated tokens per model call. */
    tokensPerTurn: number;
    /** Milliseconds per rollout. */
    wallMs: number;
  };
  /** When the turn limit is reached without an answer: ask once more with prompts/final-turn.md and no tools. */
  finalTurn: boolean;
  sampling: { temperature: number; topP: number; topK: number };
  /** Independent rollouts whose majority answer counts; 1 = none. */
  votes: number;
  voting: {
    /** `evidence`: a vote counts more where a tool's value stands behind it, less where its last reply was cut off. No verifier is asked. */
    weights: 'equal' | 'evidence';
    /** Start no further rollout once its answer could not change who wins. */
    stopWhenDecided: boolean;
    /** Rollouts side by side; null = all. */
    atOnce: number | null;
  };
  batching: {
    /** Rollouts (of other tasks and repeats) in flight at once under this φ; null = as many as the engine says are worth having. Changes no answer, only time. */
    inFlight: number | null;
  };
}

export interface ExampleStep {
  /** A call, written in the harness's dialect, answered by `result`; or the final text. */
  call?: { tool: string; arguments: Record<string, unknown> };
  result?: string;
  text?: string;
}

/** A worked example, shown as earlier turns of the conversation. */
export interface HarnessExample {
  name: string;
  problem: string;
  steps: readonly ExampleStep[];
  /** Task hashes this example was made from: these tasks leave mining and D_t. */
  fromTasks: readonly string[];
}

export interface HarnessTool {
  name: string;
  description: string;
  /** JSON Schema (2020-12) of the arguments, an object schema. */
  parameters: Record<string, unknown>;
  backend:
    | { kind: 'builtin'; name: string }
    | { kind: 'js' | 'python' | 'mcp' | 'command'; entry: string }
    | { kind: 'record' };
  limits: { wallMs: number; outputCharacters: number };
  /** Folder below tools/ that holds its code; absent for a tool that a task brings. */
  folder?: string;
}

/** `id`: the file's name without extension, e.g. `10-loop`; `code`: the text of a `js` kind's entry file, else null. */
export type HarnessMiddleware = MiddlewareSettings & { id: string; code: string | null };

export interface HarnessRetry {
  /** Times a reply whose call could not be read is answered with an error and tried again within the turn limit. */
  parseErrors: number;
  /** Times a failed tool call is answered with its error and the model may try again. */
  toolErrors: number;
  /** Times an infrastructure failure of the model engine is tried again, with back-off. */
  modelErrors: number;
  /** Times a tool that ran out of time or memory is run again before its error is shown, with back-off. */
  toolRuns: number;
  /** Times the same call, unchanged, may fail; after that it is refused without being run. */
  sameFailingCall: number;
  /** Back-off between tries: `firstMs`, then `factor` times the pause before, at most `longestMs`. A pause that a server asks for goes first. */
  pause: { firstMs: number; factor: number; longestMs: number };
}

export interface HarnessMemory {
  /** Most prompt tokens of history and what is kept of it; older turns (never system, examples or the task) go first. null = the window. */
  historyTokens: number | null;
  /** What goes first: whole exchanges from the oldest on, or the bulk of the largest results before any exchange. */
  evict: 'oldest' | 'largest-result';
  /** Turns after which the result of a call is shortened and a note is marked as old; null = never. */
  staleAfterTurns: number | null;
  /** Most tokens of the facts in memory/*.md, which stand in every system prompt; lines that do not fit are left out. */
  facts: { tokens: number };
  /** Most tokens of notes that the model keeps with the tool `note`; 0 = no such tool. Shown once turns were dropped. */
  notes: { tokens: number };
  /** Most tokens of a summary that the model writes of turns before they are dropped; 0 = none. */
  summary: { tokens: number };
  /** Passages of dropped turns that are found again by the words of the latest turn (full text, BM25), and their tokens. 0 = none. */
  retrieval: { passages: number; tokens: number };
}

/**
 * φ: an immutable value that equals its folder of text files. `files` is the truth (path → text, `/`-separated, sorted);
 * everything else is read from it. Two harnesses with the same files have the same hash.
 */
export interface Harness {
  readonly hash: ContentHash;
  readonly files: ReadonlyMap<string, string>;
  readonly settings: HarnessSettings;
  /** By file name without extension: system, task, final-turn, tool-result, error-feedback, tool-offer, summary. */
  readonly prompts: Readonly<Record<string, string>>;
  readonly examples: readonly HarnessExample[];
  readonly tools: readonly HarnessTool[];
  readonly skills: readonly HarnessSkill[];
  /** Lines of memory/*.md in file order, without empty ones: what was learnt in earlier episodes and accepted into φ. */
  readonly facts: readonly string[];
  /** In the order of their file names, which is the order in which each hook meets them. */
  readonly middleware: readonly HarnessMiddleware[];
  readonly memory: HarnessMemory;
  readonly retry: HarnessRetry;
}
