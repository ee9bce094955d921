import { type Clock, systemClock } from '../base/clock.ts';
import { AbortedError, CoHarnessError } from '../base/errors.ts';
import type { Generation, GenerationRequest, ModelBackend } from './model-backend.ts';
import { tokensOf } from './tokens-of.ts';
import { WakeQueue } from './wake-queue.ts';

export interface Usage {
  /** Calls that came back with a generation. */
  calls: number;
  /** Calls that failed or were cancelled: no tokens are known. */
  failures: number;
  promptTokens: number;
  completionTokens: number;
  /** Sum over calls of the time from asking to answer, waiting in batches included. */
  seconds: number;
}

/** Usage by role of the caller (`agent`, `critic`, …). */
export type UsageByRole = Record<string, Usage>;

export interface ModelBudget {
  /** Prompt and completion tokens of all roles together; undefined = no limit. */
  tokens?: number;
  /** Calls of all roles together; undefined = no limit. */
  calls?: number;
}

/** Tokens per byte of a prompt before one has been measured: no tokeniser makes more. */
const MOST_TOKENS_PER_BYTE = 1;
/** What a chat template adds to each turn, and a default system prompt. */
const TEMPLATE_TOKENS_PER_MESSAGE = 16;
const TEMPLATE_TOKENS = 48;

interface Reservation {
  tokens: number;
}

/**
 * One meter and one budget for every model call of every role. A call reserves its prompt and its `maxTokens` before it starts, settles with what it
 * really used, and gives everything back when it fails; calls that do not fit beside those in flight wait for them. So the budget
 * is overshot by no more than the estimation error of one call.
 */
export class ModelMeter {
  readonly #budget: ModelBudget;
  readonly #clock: Clock;
  readonly #usage = new Map<string, Usage>();
  #reserved = { tokens: 0, calls: 0 };
  /** Measured at the last calls, with a reserve; see {@link MOST_TOKENS_PER_BYTE}. */
  #tokensPerByte = MOST_TOKENS_PER_BYTE;
  #hasMeasured = false;
  readonly #settled = new WakeQueue();

  /** `spent`: what earlier runs of the same ledger used, so that a resumed run does not start with a fresh budget. */
  constructor(options: { budget?: ModelBudget; spent?: UsageByRole; clock?: Clock } = {}) {
    this.#budget = options.budget ?? {};
    this.#clock = options.clock ?? systemClock;
    for (const [role, usage] of Object.entries(options.spent ?? {})) this.#usage.set(role, { ...usage });
  }

  /** The same backend, metered. `generate` also rejects with {@link CoHarnessError} `budget-exhausted`. Closing closes the backend. */
  wrap(backend: ModelBackend, role: string): ModelBackend {
    return {
      identity: backend.identity,
      tokenIds: backend.tokenIds,
      windowTokens: backend.windowTokens,
      concurrency: backend.concurrency,
      ...(backend.nativeTools === undefined ? {} : { nativeTools: backend.nativeTools }),
      generate: (request) => this.#generate(backend, role, request),
      close: () => backend.close(),
    };
  }

  byRole(): UsageByRole {
    return Object.fromEntries(
      [...this.#usage].sort(([a], [b]) => (a < b ? -1 : 1)).map(([role, usage]) => [role, { ...usage }]),
    );
  }

  total(): Usage {
    const sum = emptyUsage();
    for (const usage of this.#usage.values()) add(sum, usage);
    return sum;
  }

  /** Tokens neither spent nor reserved; undefined without a limit. */
  tokensLeft(): number | undefined {
    if (this.#budget.tokens === undefined) return undefined;
    return this.#budget.tokens - tokensOf(this.total()) - this.#reserved.tokens;
  }

  async #generate(backend: ModelBackend, role: string, request: GenerationRequest): Promise<Generation> {
    const reservation = await this.#reserve(backend, request);
    const started = this.#clock.now();
    const settle = (used: Partial<Usage>) => {
      this.#reserved.tokens -= reservation.tokens;
      this.#reserved.calls--;
      const usage = this.#usage.get(role) ?? emptyUsage();
      this.#usage.set(role, usage);
      add(usage, { ...emptyUsage(), ...used, seconds: (this.#clock.now() - started) / 1000 });
      this.#settled.wake();
    };
    try {
      const generation = await backend.generate(request);
      this.#learn(request, generation);
      settle({ calls: 1, ...generation.usage });
      return generation;
    } catch (error) {
      settle({ failures: 1 });
      throw error;
    }
  }

  async #reserve(backend: ModelBackend, request: GenerationRequest): Promise<Reservation> {
    while (true) {
      if (request.signal?.aborted) throw new AbortedError();
      const tokens = Math.min(backend.windowTokens, this.#estimatePrompt(request) + request.maxTokens);
      if (this.#fits(tokens)) {
        this.#reserved.tokens += tokens;
        this.#reserved.calls++;
        return { tokens };
      }
      if (this.#reserved.calls === 0) throw this.#exhausted(tokens);
      await this.#settled.wait(request.signal);
    }
  }

  #fits(tokens: number): boolean {
    const spent = this.total();
    const fitsTokens =
      this.#budget.tokens === undefined || tokensOf(spent) + this.#reserved.tokens + tokens <= this.#budget.tokens;
    const fitsCalls = this.#budget.calls === undefined || spent.calls + this.#reserved.calls + 1 <= this.#budget.calls;
    return fitsTokens && fitsCalls;
  }

  #estimatePrompt(request: GenerationRequest): number {
    return (
      Math.ceil(bytesOf(request) * this.#tokensPerByte) +
      TEMPLATE_TOKENS_PER_MESSAGE * request.messages.length +
      TEMPLATE_TOKENS
    );
  }

  /** Reserving one token per byte for long would block calls that the budget can pay. */
  #learn(request: GenerationRequest, generation: Generation): void {
    const bytes = bytesOf(request);
    if (generation.usage.promptTokens === 0 || bytes < 64) return;
    const measured = Math.min(MOST_TOKENS_PER_BYTE, (generation.usage.promptTokens / bytes) * 1.25);
    this.#tokensPerByte = this.#hasMeasured ? Math.max(this.#tokensPerByte, measured) : measured;
    this.#hasMeasured = true;
  }

  #exhausted(needed: number): CoHarnessError {
    const spent = this.total();
    const { tokens, calls } = this.#budget;
    const limits = [
      ...(tokens === undefined ? [] : [`${tokensOf(spent)} of ${tokens} tokens`]),
      ...(calls === undefined ? [] : [`${spent.calls} of ${calls} calls`]),
    ].join(' and ');
    return new CoHarnessError(
      'budget-exhausted',
      `The model budget is used up: ${limits} are spent, and the next call may need ${needed} tokens. Everything finished is kept; raise the budget and run the same command again.`,
      {
        details: {
          spentTokens: tokensOf(spent),
          budgetTokens: tokens,
          spentCalls: spent.calls,
          budgetCalls: calls,
          neededTokens: needed,
        },
      },
    );
  }
}

function emptyUsage(): Usage {
  return { calls: 0, failures: 0, promptTokens: 0, completionTokens: 0, seconds: 0 };
}

function add(sum: Usage, usage: Usage): void {
  sum.calls += usage.calls;
  sum.failures += usage.failures;
  sum.promptTokens += usage.promptTokens;
  sum.completionTokens += usage.completionTokens;
  sum.seconds += usage.seconds;
}

function bytesOf(request: GenerationRequest): number {
  return request.messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
}
