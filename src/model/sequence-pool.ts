import { AbortedError, CoHarnessError, errorMessage } from '../base/errors.ts';
import { commonPrefixLength } from './common-prefix.ts';
import type { EvaluationSlot } from './evaluation-slot.ts';
import type { AnnouncedSnapshot, PrefixSnapshot, PrefixSnapshots } from './prefix-snapshots.ts';
import { ProviderError } from './provider-error.ts';

/** Fewer tokens than this are evaluated faster than a state file is written and read. */
const MIN_SNAPSHOT_GAIN = 64;
/** A request that was passed over this often goes next, whatever the others share with the free slots. */
const MAX_TIMES_PASSED_OVER = 64;

interface Waiting {
  prompt: readonly number[];
  timesPassedOver: number;
  /** Resolves when the slot is free again; never rejects. */
  start(slot: EvaluationSlot, plan: Plan): Promise<void>;
  reject(error: Error): void;
}

interface Plan {
  /** State that somebody else has evaluated, or is evaluating. */
  from?: PrefixSnapshot;
  /** Prefix to evaluate here for others who wait for it. */
  make?: AnnouncedSnapshot;
}

/**
 * Many requests over few slots. A free slot takes the waiting request that shares the longest token prefix with what the slot already holds; a
 * long prefix that several waiting requests share is evaluated once and copied to the other slots.
 */
export class SequencePool {
  /** null: every slot evaluates its prefix itself. */
  readonly #snapshots: PrefixSnapshots | null;
  #free: EvaluationSlot[];
  #busy = new Set<Promise<void>>();
  #waiting: Waiting[] = [];
  #dispatchPlanned = false;
  #closed = false;

  constructor(slots: readonly EvaluationSlot[], snapshots: PrefixSnapshots | null) {
    this.#free = [...slots];
    this.#snapshots = snapshots;
  }

  /**
   * Runs `work` on a slot that holds a proper prefix of `prompt` (≥ 1 token): `work` samples with the missing rest. Rejects with AbortedError
   * when `signal` fires before or while it runs, with ProviderError `engine` for anything the engine throws.
   */
  run<T>(
    prompt: readonly number[],
    signal: AbortSignal | undefined,
    work: (slot: EvaluationSlot) => Promise<T>,
  ): Promise<T> {
    if (this.#closed) return Promise.reject(closedError());
    if (signal?.aborted) return Promise.reject(new AbortedError());
    return new Promise<T>((resolve, reject) => {
      const onAbort = () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        reject(new AbortedError());
      };
      const waiting: Waiting = {
        prompt,
        timesPassedOver: 0,
        reject: (error) => {
          signal?.removeEventListener('abort', onAbort);
          reject(error);
        },
        start: async (slot, plan) => {
          signal?.removeEventListener('abort', onAbort);
          try {
            await this.#prepare(slot, prompt, plan);
            if (signal?.aborted) throw new AbortedError();
            resolve(await work(slot));
          } catch (error) {
            reject(asOutcome(error));
            if (!(error instanceof AbortedError)) await slot.reset();
          }
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiting);
      this.#planDispatch();
    });
  }

  /** Rejects what waits, lets what runs come to its end. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(closedError());
    await Promise.all(this.#busy);
  }

  /** On the next turn of the event loop: a burst is seen as a whole, and a caller whose request just ended can ask its next one first. */
  #planDispatch(): void {
    if (this.#dispatchPlanned) return;
    this.#dispatchPlanned = true;
    setImmediate(() => {
      this.#dispatchPlanned = false;
      this.#dispatch();
    });
  }

  #dispatch(): void {
    while (this.#free.length > 0 && this.#waiting.length > 0) {
      const { slot, waiting } = this.#bestPair();
      this.#free = this.#free.filter((other) => other !== slot);
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      for (const other of this.#waiting) other.timesPassedOver++;
      const run = waiting.start(slot, this.#plan(slot, waiting.prompt)).then(
        () => void this.#free.push(slot),
        (error) => this.#lose(error),
      );
      this.#busy.add(run);
      void run.then(() => {
        this.#busy.delete(run);
        this.#planDispatch();
      });
    }
  }

  #bestPair(): { slot: EvaluationSlot; waiting: Waiting } {
    const oldest = this.#waiting[0] as Waiting;
    const candidates = oldest.timesPassedOver >= MAX_TIMES_PASSED_OVER ? [oldest] : this.#waiting;
    let best = { slot: this.#free[0] as EvaluationSlot, waiting: oldest, shared: -1 };
    for (const slot of this.#free) {
      const held = slot.tokens;
      for (const waiting of candidates) {
        const shared = commonPrefixLength(held, waiting.prompt);
        if (shared > best.shared) best = { slot, waiting, shared };
      }
    }
    return best;
  }

  /** Synchronous, so that requests started in the same turn see the snapshot that the first of them is going to make. */
  #plan(slot: EvaluationSlot, prompt: readonly number[]): Plan {
    if (this.#snapshots === null) return {};
    const limit = reusable(prompt);
    const held = commonPrefixLength(slot.tokens, prompt, limit);
    const known = this.#snapshots.longest(prompt, limit);
    const plan: Plan = {};
    if (known !== undefined && known.length - held >= MIN_SNAPSHOT_GAIN) plan.from = known.snapshot;
    const available = Math.max(held, known?.length ?? 0);
    const shared = Math.max(0, ...this.#waiting.map((other) => commonPrefixLength(prompt, other.prompt, limit)));
    if (shared - available >= MIN_SNAPSHOT_GAIN) plan.make = this.#snapshots.announce(prompt.slice(0, shared));
    return plan;
  }

  async #prepare(slot: EvaluationSlot, prompt: readonly number[], plan: Plan): Promise<void> {
    let savedBytes: number | null = null;
    try {
      if (plan.from !== undefined) await this.#snapshots?.use(plan.from, (file) => loadOrReset(slot, file));
      await slot.keep(commonPrefixLength(slot.tokens, prompt, reusable(prompt)));
      if (plan.make === undefined) return;
      const missing = plan.make.tokens.slice(slot.tokens.length);
      if (missing.length > 0) await slot.append(missing);
      // A full disk costs only the shortcut.
      savedBytes = await slot.save(plan.make.file).catch(() => null);
    } finally {
      await plan.make?.finish(savedBytes);
    }
  }

  #lose(error: unknown): void {
    if (this.#free.length > 0 || this.#busy.size > 1) return;
    this.#closed = true;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(engineError(error));
  }
}

/**
 * Tokens of a prompt that may come from elsewhere. The last one starts the sampling, and evaluated alone it would be rounded differently than
 * as part of a longer piece: the answer would depend on what the slot did before.
 */
function reusable(prompt: readonly number[]): number {
  return Math.max(0, prompt.length - 2);
}

/** A file that cannot be read costs only the shortcut. */
async function loadOrReset(slot: EvaluationSlot, file: string): Promise<void> {
  try {
    await slot.load(file);
  } catch {
    await slot.reset();
  }
}

function asOutcome(error: unknown): Error {
  return error instanceof CoHarnessError ? error : engineError(error);
}

function engineError(cause: unknown): ProviderError {
  return new ProviderError(
    'engine',
    `The inference engine failed: ${errorMessage(cause)}. The request may be tried again.`,
    { cause },
  );
}

function closedError(): ProviderError {
  return new ProviderError('engine', 'The model backend is closed; open it again to generate.');
}
