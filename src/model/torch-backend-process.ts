import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { closeAfterExit } from '../base/close-after-exit.ts';
import { CoHarnessError, errorMessage } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { ProviderError } from './provider-error.ts';

/** First line to the process; docs/decisions/inference-torch.md describes all lines. */
export interface TorchOpening {
  base: { gguf: string; hash: string };
  /** PEFT folder. */
  adapter: string | null;
  slots: number;
  windowTokens: number;
  /** 0 = what PyTorch chooses. */
  threads: number;
  endTokens: readonly number[];
}

export interface TorchRequest {
  prompt: readonly number[];
  maxTokens: number;
  temperature: number;
  topP: number;
  topK: number;
  seed: number;
  stop: readonly string[];
}

export interface TorchCompletion {
  /** Everything that was sampled, end token included. */
  tokens: number[];
  finish: 'end' | 'stop-text' | 'length' | 'window';
}

/** A running `python -m coharness_trainer.generation`. */
export interface TorchProcess {
  readonly windowTokens: number;
  readonly precision: string;
  /**
   * Rejects with ProviderError: `engine` when the process ends before the answer, `bad-response` when it refuses the request.
   * `cancelled` frees the slot and rejects with its reason.
   */
  complete(request: TorchRequest, cancelled?: AbortSignal): Promise<TorchCompletion>;
  /** Ends the process; what is in flight rejects. */
  close(): Promise<void>;
}

const completionSchema = z.object({
  id: z.int(),
  tokens: z.array(z.int()),
  finish: z.enum(['end', 'stop-text', 'length', 'window']),
});
const answerSchema = z.union([
  completionSchema,
  z.object({ id: z.int(), error: z.string() }),
  z.object({ event: z.literal('ready'), windowTokens: z.int(), precision: z.string() }),
  z.object({ event: z.literal('failed'), code: z.string(), message: z.string() }),
]);

const KEPT_STDERR = 4000;
const KILL_AFTER_MS = 5000;

interface Waiting {
  resolve(completion: TorchCompletion): void;
  reject(error: unknown): void;
}

/**
 * Resolves when weights are loaded. Rejects with {@link CoHarnessError} `torch-engine-failed`, which carries what the process
 * said; its own code is in `details.code`.
 */
export async function startTorchProcess(options: {
  python: string;
  environment: NodeJS.ProcessEnv;
  opening: TorchOpening;
}): Promise<TorchProcess> {
  const child = spawn(options.python, ['-m', 'coharness_trainer.generation'], { env: options.environment });
  const link = new TorchLink(child);
  link.send(options.opening);
  const { windowTokens, precision } = await link.ready;
  return {
    windowTokens,
    precision,
    complete: (request, cancelled) => link.complete(request, cancelled),
    close: () => link.close(),
  };
}

class TorchLink {
  readonly ready: Promise<{ windowTokens: number; precision: string }>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, Waiting>();
  readonly #exited: Promise<void>;
  #nextId = 0;
  #stderr = '';
  #failure: { code: string; message: string } | undefined;
  /** Why nothing can be asked any more. */
  #ended: string | undefined;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    const { promise, resolve, reject } = Promise.withResolvers<{ windowTokens: number; precision: string }>();
    this.ready = promise;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-KEPT_STDERR);
    });
    // A write to a process that has just died is reported by its exit.
    child.stdin.on('error', () => {});
    createInterface({ input: child.stdout }).on('line', (line) => {
      try {
        this.#receive(line, resolve);
      } catch (error) {
        this.#failure = { code: 'bad-line', message: errorMessage(error) };
        child.kill('SIGKILL');
      }
    });
    closeAfterExit(child);
    this.#exited = new Promise((exited) => {
      child.on('error', (cause) => {
        this.#end(`cannot be started (${errorMessage(cause)})`, reject);
        exited();
      });
      child.on('close', (code, signal) => {
        this.#end(`ended with ${signal ?? `exit code ${code}`}`, reject);
        exited();
      });
    });
  }

  send(message: unknown): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  complete(request: TorchRequest, cancelled?: AbortSignal): Promise<TorchCompletion> {
    if (this.#ended !== undefined) return Promise.reject(this.#providerError());
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<TorchCompletion>();
    const onCancel = () => {
      if (!this.#waiting.delete(id)) return;
      this.send({ cancel: id });
      reject(cancelled?.reason);
    };
    cancelled?.addEventListener('abort', onCancel, { once: true });
    this.#waiting.set(id, { resolve, reject });
    this.send({ id, ...request });
    return promise.finally(() => cancelled?.removeEventListener('abort', onCancel));
  }

  async close(): Promise<void> {
    this.#ended ??= 'was closed';
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), KILL_AFTER_MS);
    await this.#exited;
    clearTimeout(timer);
  }

  #receive(line: string, ready: (facts: { windowTokens: number; precision: string }) => void): void {
    const answer = parseJson(answerSchema, line, { file: 'output of coharness_trainer.generation' });
    if ('event' in answer) {
      if (answer.event === 'ready') ready(answer);
      else this.#failure = answer;
      return;
    }
    const waiting = this.#waiting.get(answer.id);
    // Cancelled, and finished before the process heard of it.
    if (waiting === undefined) return;
    this.#waiting.delete(answer.id);
    if ('error' in answer) waiting.reject(new ProviderError('bad-response', answer.error));
    else waiting.resolve({ tokens: answer.tokens, finish: answer.finish });
  }

  #end(how: string, rejectReady: (error: unknown) => void): void {
    this.#ended ??= how;
    const said = this.#failure?.message ?? this.#stderr.trim().split('\n').slice(-3).join(' ');
    rejectReady(
      new CoHarnessError(
        'torch-engine-failed',
        `The PyTorch engine ${this.#ended}${said === '' ? '' : `: ${said}`}. Check the Python environment with \`npx co-harness doctor\`, or use the llama.cpp engine.`,
        { details: { python: this.#child.spawnfile, code: this.#failure?.code } },
      ),
    );
    for (const waiting of this.#waiting.values()) waiting.reject(this.#providerError());
    this.#waiting.clear();
  }

  #providerError(): ProviderError {
    const said = this.#failure?.message ?? this.#stderr.trim().split('\n').at(-1) ?? '';
    return new ProviderError(
      'engine',
      `The PyTorch engine ${this.#ended}${said === '' ? '' : `: ${said}`}. Open the backend again.`,
      {
        details: { code: this.#failure?.code, stderr: this.#stderr },
      },
    );
  }
}
