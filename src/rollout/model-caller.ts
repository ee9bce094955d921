import { AbortedError, errorMessage, InvariantError } from '../base/errors.ts';
import { seedFrom } from '../base/random.ts';
import type { Generation, GenerationRequest } from '../model/model-backend.ts';
import { ProviderError } from '../model/provider-error.ts';
import type { Conversation } from './conversation.ts';
import type { EventLog } from './event-log.ts';
import { generateWithRetry } from './generate-with-retry.ts';
import type { HookChain } from './middleware/hook-chain.ts';
import type { RolloutJob } from './rollout-job.ts';
import { estimateTokens, trimHistory } from './trim-history.ts';
import { type WallLimit, WallLimitReached } from './wall-limit.ts';

export type AskModel = (turn: number, turnKind: 'working' | 'final') => Promise<Generation>;

/**
 * Asks the model for the next turn of a conversation and records what was sent and what came. Rejects with WallLimitReached, AbortedError or
 * ProviderError.
 */
export function modelCaller(
  job: RolloutJob,
  conversation: Conversation,
  log: EventLog,
  limit: WallLimit,
  vote: number | null,
  hooks: HookChain,
): AskModel {
  const { settings, retry } = job.harness;
  return async (turn, turnKind) => {
    if (limit.isReached()) throw new WallLimitReached();
    await hooks.beforeModel(turn);
    trim(job, conversation, log, turn);
    const request = {
      messages: conversation.messages(),
      sampling: job.sampling ?? settings.sampling,
      seed: callSeed(job, turn, vote),
      maxTokens: settings.limits.tokensPerTurn,
      // Stop strings end a call; a final text has none.
      stop: turnKind === 'working' ? [...settings.protocol.stop] : [],
    };
    const generation = await generateWithRetry(
      asContracted(job),
      { ...request, signal: limit.signal },
      retry.modelErrors,
      ({ message }) => log.record({ type: 'fault', boundary: 'provider', problem: message }),
    );
    const { text, finishReason, usage, promptTokenIds, completionTokenIds, modelEcho } = generation;
    log.count(usage);
    log.record({
      type: 'model-called',
      turn,
      turnKind,
      ...request,
      text,
      finishReason,
      usage: { ...usage },
      ...(promptTokenIds === undefined ? {} : { promptTokenIds: [...promptTokenIds] }),
      ...(completionTokenIds === undefined ? {} : { completionTokenIds: [...completionTokenIds] }),
      ...(modelEcho === undefined ? {} : { modelEcho }),
    });
    return generation;
  };
}

/** The first vote has the seeds of a rollout without votes, so that both can be compared seed by seed. */
function callSeed(job: RolloutJob, turn: number, vote: number | null): number {
  return vote === null || vote === 0
    ? seedFrom(job.seed, job.repeat, turn)
    : seedFrom(job.seed, job.repeat, turn, `vote ${vote}`);
}

function trim(job: RolloutJob, { opening, history }: Conversation, log: EventLog, turn: number): void {
  const { memory, settings } = job.harness;
  const room = job.model.windowTokens - settings.limits.tokensPerTurn - estimateTokens(opening);
  const droppedMessages = trimHistory(history, Math.min(room, memory.historyTokens ?? room));
  if (droppedMessages > 0) log.record({ type: 'history-trimmed', turn, droppedMessages });
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
