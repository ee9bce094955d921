import { AbortedError, CoHarnessError, errorMessage } from '../../base/errors.ts';
import type { Generation } from '../../model/model-backend.ts';
import { ProviderError } from '../../model/provider-error.ts';
import type { Episode } from '../episode.ts';
import type { EventLog } from '../event-log.ts';
import { type MeteredPass, meteredGeneration } from '../metered-generation.ts';
import { refusedRequest } from '../refused-request.ts';
import type { RolloutJob } from '../rollout-job.ts';
import { type ChatRequest, messagesOf, samplingOf, stopsOf, toolsOf } from './chat-request.ts';

/** Model calls of one pass that a program makes by HTTP. */
export interface MeteredCalls {
  /** One call, recorded. Throws CoHarnessError: `turn-limit` and `no-native-tools` are the program's doing, anything else is infrastructure. */
  complete(request: ChatRequest): Promise<Generation>;
  /** Calls that the engine has answered, and those that ended without an answer because the time or the program did. */
  readonly finished: number;
  readonly cutShort: number;
  /** What the engine failed with; it makes the whole rollout unscored. */
  readonly fault: Episode['fault'];
  /** Stops what nobody waits for any more, and resolves when nothing is in flight: what an engine went on with would be on no record. */
  end(): Promise<void>;
}

export function meteredCalls(pass: MeteredPass): MeteredCalls {
  const { job, log, limit } = pass;
  const { sampling, limits } = job.harness.settings;
  const state = { started: 0, finished: 0, cutShort: 0, fault: null as Episode['fault'] };
  const inFlight = new Set<Promise<unknown>>();
  const ended = new AbortController();
  const untilEnd = { ...pass, limit: { ...limit, signal: AbortSignal.any([limit.signal, ended.signal]) } };

  function generate(request: ChatRequest, turn: number): Promise<Generation> {
    const tools = toolsOf(request);
    const askedTokens = request.max_completion_tokens ?? request.max_tokens ?? limits.tokensPerTurn;
    return meteredGeneration(untilEnd, {
      turn,
      turnKind: 'working',
      messages: messagesOf(request),
      sampling: samplingOf(request, sampling),
      maxTokens: Math.min(askedTokens, limits.tokensPerTurn),
      stop: stopsOf(request),
      ...(tools.length === 0 ? {} : { tools }),
    });
  }

  return {
    complete: async (request) => {
      refuseUnfit(job, log, request, state.started);
      const call = generate(request, state.started++);
      inFlight.add(call);
      try {
        const generation = await call;
        state.finished++;
        return generation;
      } catch (error) {
        if (error instanceof AbortedError || ended.signal.aborted) state.cutShort++;
        else {
          const boundary = error instanceof ProviderError ? 'provider' : 'sandbox';
          state.fault ??= { boundary, problem: errorMessage(error), ...refusedRequest(error) };
        }
        throw error;
      } finally {
        inFlight.delete(call);
      }
    },
    end: async () => {
      ended.abort();
      while (inFlight.size > 0) await Promise.allSettled(inFlight);
    },
    get finished() {
      return state.finished;
    },
    get cutShort() {
      return state.cutShort;
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
