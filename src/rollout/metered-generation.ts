import { AbortedError, errorMessage, InvariantError } from '../base/errors.ts';
import { seedFrom } from '../base/random.ts';
import type { ChatMessage, Generation, GenerationRequest } from '../model/model-backend.ts';
import { ProviderError } from '../model/provider-error.ts';
import type { TurnKind } from '../trajectory/trajectory.ts';
import type { EventLog } from './event-log.ts';
import { generateWithRetry } from './generate-with-retry.ts';
import type { RolloutJob } from './rollout-job.ts';
import type { WallLimit } from './wall-limit.ts';

/** The pass that a model call belongs to. `vote` is its number where φ votes, else null. */
export interface MeteredPass {
  job: RolloutJob;
  log: EventLog;
  limit: WallLimit;
  vote: number | null;
}

export interface MeteredRequest extends Pick<GenerationRequest, 'sampling' | 'maxTokens' | 'tools'> {
  turn: number;
  turnKind: TurnKind;
  messages: ChatMessage[];
  stop: string[];
}

/**
 * The one way to the model: a call with the seed of its place, under φ's retry policy, counted, with what was sent and what came on record. A job that
 * fixes the sampling overrides the request's. Rejects with AbortedError, InvariantError or ProviderError.
 */
export async function meteredGeneration(pass: MeteredPass, asked: MeteredRequest): Promise<Generation> {
  const { job, log, limit } = pass;
  const { turn, turnKind, messages, sampling, maxTokens, stop, tools } = asked;
  const request = { messages, sampling: job.sampling ?? sampling, seed: callSeed(pass, asked), maxTokens, stop };
  const native = tools === undefined ? {} : { tools, mayCall: turnKind === 'working' };
  const generation = await generateWithRetry(
    asContracted(job),
    { ...request, ...native, signal: limit.signal },
    job.harness.retry,
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
}

/** The first vote has the seeds of a rollout without votes, so that both can be compared seed by seed. */
function callSeed({ job, vote }: MeteredPass, { turn, turnKind }: MeteredRequest): number {
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
        const details = { isForeign: true };
        throw new ProviderError('bad-response', `The model backend failed: ${errorMessage(error)}`, {
          cause: error,
          details,
        });
      }
    },
  };
}
