import type { ContentHash } from '../base/content-hash.ts';
import type { MiddlewareSettings } from './middleware-kinds.ts';

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
 * How the model writes a tool call in plain text. All forms are data: nothing here knows a tool.
 *
 * `json`: a JSON object `{"name": …, "arguments": {…}}` anywhere in the reply.
 * `tags`: text between `open` and `close`; `fenced`: a ``` block whose info string is `open`.
 * `{tool}` in `open`/`close` stands for the tool's name; without it there must be exactly one tool or `body: call`.
 * `body`: `call` = the JSON object above; `arguments` = a JSON object of the arguments; `argument` = the raw text is the value of
 * the tool's only required string argument.
 */
export interface CallDialect {
  kind: 'json' | 'tags' | 'fenced';
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
}

export interface HarnessMemory {
  /** Most prompt tokens of history; older turns (never system, examples or the task) are dropped first. null = the window. */
  historyTokens: number | null;
}

/**
 * φ: an immutable value that equals its folder of text files. `files` is the truth (path → text, `/`-separated, sorted);
 * everything else is read from it. Two harnesses with the same files have the same hash.
 */
export interface Harness {
  readonly hash: ContentHash;
  readonly files: ReadonlyMap<string, string>;
  readonly settings: HarnessSettings;
  /** By file name without extension: system, task, final-turn, tool-result, error-feedback, tool-offer. */
  readonly prompts: Readonly<Record<string, string>>;
  readonly examples: readonly HarnessExample[];
  readonly tools: readonly HarnessTool[];
  readonly skills: readonly { name: string; text: string }[];
  /** In the order of their file names, which is the order in which each hook meets them. */
  readonly middleware: readonly HarnessMiddleware[];
  readonly memory: HarnessMemory;
  readonly retry: HarnessRetry;
}
