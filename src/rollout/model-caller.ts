import { AbortedError, errorMessage, InvariantError } from '../base/errors.ts';
import { seedFrom } from '../base/random.ts';
import type { ChatMessage, Generation, GenerationRequest, NativeTool } from '../model/model-backend.ts';
import { ProviderError } from '../model/provider-error.ts';
import type { TurnKind } from '../trajectory/trajectory.ts';
import type { EventLog } from './event-log.ts';
import { generateWithRetry } from './generate-with-retry.ts';
import type { RolloutJob } from './rollout-job.ts';
import { type WallLimit, WallLimitReached } from './wall-limit.ts';

export interface ModelCallOrder {
  turn: number;
  turnKind: TurnKind;
  messages: ChatMessage[];
  /** Default: φ's tokens per turn. */
  maxTokens?: number;
  /** Offered in the server's own protocol, where φ's dialect is `native`. */
  tools?: readonly NativeTool[];
}

/**
 * One call of the model under φ's sampling and retry policy. Records what was sent and what came. Rejects with WallLimitReached, AbortedError or
 * ProviderError.
 */
export type CallModel = (order: ModelCallOrder) => Promise<Generation>;

export function modelCaller(job: RolloutJob, log: EventLog, limit: WallLimit, vote: number | null): CallModel {
  const { settings, retry } = job.harness;
  return async ({ turn, turnKind, messages, maxTokens = settings.limits.tokensPerTurn, tools }) => {
    if (limit.isReached()) throw new WallLimitReached();
    if (tools !== undefined && job.model.nativeTools !== true) throw noNativeTools();
    const request = {
      messages,
      sampling: job.sampling ?? settings.sampling,
      seed: callSeed(job, turn, turnKind, vote),
      maxTokens,
      // Stop strings end a call; a final text has none.
      stop: turnKind === 'working' ? [...settings.protocol.stop] : [],
    };
    const native = tools === undefined ? {} : { tools, mayCall: turnKind === 'working' };
    const generation = await generateWithRetry(
      asContracted(job),
      { ...request, ...native, signal: limit.signal },
      retry,
      {
        failed: ({ message }) => log.record({ type: 'fault', boundary: 'provider', problem: message }),
        pausing: (attempt, pauseMs, why) => log.record({ type: 'retried', turn, what: 'model', attempt, pauseMs, why }),
      },
    );
    const { text, calls, finishReason, usage, promptTokenIds, completionTokenIds, modelEcho } = generation;
    log.count(usage);
    log.record({
      type: 'model-called',
      turn,
      turnKind,
      ...request,
      text,
      ...(calls === undefined ? {} : { calls: [...calls] }),
      ...(tools === undefined ? {} : { offered: tools.map(({ name }) => name) }),
      finishReason,
      usage: { ...usage },
      ...(promptTokenIds === undefined ? {} : { promptTokenIds: [...promptTokenIds] }),
      ...(completionTokenIds === undefined ? {} : { completionTokenIds: [...completionTokenIds] }),
      ...(modelEcho === undefined ? {} : { modelEcho }),
    });
    return generation;
  };
}

function noNativeTools(): ProviderError {
  return new ProviderError(
    'bad-response',
    'harness.yaml protocol.dialect.kind is "native", but this engine has no tool protocol of its own. Use an OpenAI-compatible server, or another dialect.',
  );
}

/** The first vote has the seeds of a rollout without votes, so that both can be compared seed by seed. */
function callSeed(job: RolloutJob, turn: number, turnKind: TurnKind, vote: number | null): number {
  const parts = [
    ...(vote === null || vote === 0 ? [] : [`vote ${vote}`]),
    ...(turnKind === 'summary' ? [turnKind] : []),
  ];
  return seedFrom(job.seed, job.repeat, turn, ...parts);
}

/** A backend that breaks its contract by throwing something else is infrastructure too. */
function asContracted({ model, signal }: RolloutJob): { generate(request: GenerationRequest): Promise<Generation> } {
  return {
    generate: async (request) => {
      try {
        return await model.generate(request);
      } catch (error) {
        const isKnown =
          error instanceof ProviderError || error instanceof AbortedError || error instanceof InvariantError;
        if (isKnown || signal?.aborted) throw error;
        throw new ProviderError('bad-response', `The model backend failed: ${errorMessage(error)}`, { cause: error });
      }
    },
  };
}
