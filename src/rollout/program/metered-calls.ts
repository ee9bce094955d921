import { AbortedError, CoHarnessError, errorMessage } from '../../base/errors.ts';
import { seedFrom } from '../../base/random.ts';
import type { Generation } from '../../model/model-backend.ts';
import { ProviderError } from '../../model/provider-error.ts';
import type { Episode } from '../episode.ts';
import type { EventLog } from '../event-log.ts';
import { generateWithRetry } from '../generate-with-retry.ts';
import type { RolloutJob } from '../rollout-job.ts';
import type { WallLimit } from '../wall-limit.ts';
import { type ChatRequest, messagesOf, samplingOf, stopsOf, toolsOf } from './chat-request.ts';

/** Model calls of one pass that a program makes by HTTP. */
export interface MeteredCalls {
  /** One call, recorded. Throws CoHarnessError: `turn-limit` and `no-native-tools` are the program's doing, anything else is infrastructure. */
  complete(request: ChatRequest): Promise<Generation>;
  /** Calls that the engine has answered, and those it is busy with. */
  readonly finished: number;
  readonly inFlight: number;
  /** What the engine failed with; it makes the whole rollout unscored. */
  readonly fault: Episode['fault'];
}

export function meteredCalls(job: RolloutJob, log: EventLog, limit: WallLimit, vote: number | null): MeteredCalls {
  const { settings, retry } = job.harness;
  const state = { started: 0, finished: 0, inFlight: 0, fault: null as Episode['fault'] };

  async function generate(request: ChatRequest, turn: number): Promise<Generation> {
    const tools = toolsOf(request);
    const asked = {
      messages: messagesOf(request),
      // Mining and D_t sample as they must, whatever the program asks for.
      sampling: job.sampling ?? samplingOf(request, settings.sampling),
      seed: seedFrom(job.seed, job.repeat, turn, ...(vote === null || vote === 0 ? [] : [`vote ${vote}`])),
      maxTokens: Math.min(
        request.max_completion_tokens ?? request.max_tokens ?? settings.limits.tokensPerTurn,
        settings.limits.tokensPerTurn,
      ),
      stop: stopsOf(request),
    };
    const generation = await generateWithRetry(
      job.model,
      { ...asked, ...(tools.length === 0 ? {} : { tools }), signal: limit.signal },
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
      turnKind: 'working',
      ...asked,
      text,
      ...(calls === undefined ? {} : { calls: [...calls] }),
      finishReason,
      usage: { ...usage },
      ...(promptTokenIds === undefined ? {} : { promptTokenIds: [...promptTokenIds] }),
      ...(completionTokenIds === undefined ? {} : { completionTokenIds: [...completionTokenIds] }),
      ...(modelEcho === undefined ? {} : { modelEcho }),
    });
    return generation;
  }

  return {
    complete: async (request) => {
      refuseUnfit(job, log, request, state.started);
      const turn = state.started++;
      state.inFlight++;
      try {
        const generation = await generate(request, turn);
        state.finished++;
        return generation;
      } catch (error) {
        if (!(error instanceof AbortedError)) {
          const boundary = error instanceof ProviderError ? 'provider' : 'sandbox';
          state.fault ??= { boundary, problem: errorMessage(error) };
        }
        throw error;
      } finally {
        state.inFlight--;
      }
    },
    get finished() {
      return state.finished;
    },
    get inFlight() {
      return state.inFlight;
    },
    get fault() {
      return state.fault;
    },
  };
}

/** Throws for calls that φ or the engine does not allow. */
function refuseUnfit({ harness, model }: RolloutJob, log: EventLog, request: ChatRequest, started: number): void {
  const { turns } = harness.settings.limits;
  if (started >= turns) {
    if (!log.events.some(({ type }) => type === 'turn-limit-reached')) {
      log.record({ type: 'turn-limit-reached', turn: turns - 1 });
    }
    throw new CoHarnessError(
      'turn-limit',
      `This harness allows ${turns} model calls (limits.turns of harness.yaml); all are used. Answer now.`,
    );
  }
  if (toolsOf(request).length === 0 || model.nativeTools === true) return;
  throw new CoHarnessError(
    'no-native-tools',
    'This model takes no native tools. Describe them in the prompt and read calls from its text.',
  );
}
