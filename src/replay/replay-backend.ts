import { canonicalJson } from '../base/content-hash.ts';
import { seedFrom } from '../base/random.ts';
import type { Generation, GenerationRequest, ModelBackend, NativeCall, Sampling } from '../model/model-backend.ts';
import { type ModelCall, modelCalls } from '../trajectory/model-calls.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';

export interface ReplaySettings {
  recorded: Trajectory;
  /**
   * First turn that is generated anew; replies of earlier turns are given again word for word, whatever the request. Null: replies are given again as
   * long as the request would have brought the same one.
   */
  fromTurn: number | null;
  /** For what is generated; its temperature is > 0. */
  sampling: Sampling;
  /** Number of the sample: part of the seed, so that arms with the same number share their luck. */
  sample: number;
  /** Replies given in the place of the recorded ones or of new ones, by turn. */
  actions?: ReadonlyMap<number, string>;
  /** What the model is shown as answer to the recorded reply of a turn, in the place of what came back. */
  observations?: ReadonlyMap<number, string>;
}

/** Calls and tokens that a replay really paid for; replies given again cost nothing. */
export interface ReplayUsage {
  modelCalls: number;
  promptTokens: number;
  completionTokens: number;
}

/**
 * A backend for one re-run of a recorded rollout: its beginning is given again, the rest comes from `model`. The recorded call of a request is known by
 * its seed, which depends on rollout, turn and vote alone. `usage` is counted up.
 */
export function replayBackend(model: ModelBackend, settings: ReplaySettings, usage: ReplayUsage): ModelBackend {
  const recorded = new Map(modelCalls(settings.recorded).map((call) => [call.seed, call]));
  return {
    identity: model.identity,
    tokenIds: 'none',
    windowTokens: model.windowTokens,
    concurrency: model.concurrency,
    ...(model.nativeTools === undefined ? {} : { nativeTools: model.nativeTools }),
    generate: async (original) => {
      const request = withObservations(original, settings);
      const call = recorded.get(request.seed);
      const forced = call === undefined ? undefined : settings.actions?.get(call.turn);
      if (forced !== undefined) return givenAgain(forced, 'end');
      if (call !== undefined && isKept(call, request, settings.fromTurn))
        return givenAgain(call.text, call.finishReason, call.calls);
      const generation = await model.generate({
        ...request,
        sampling: settings.sampling,
        seed: seedFrom(request.seed, 'replay', settings.sample),
      });
      usage.modelCalls++;
      usage.promptTokens += generation.usage.promptTokens;
      usage.completionTokens += generation.usage.completionTokens;
      return generation;
    },
    close: async () => {},
  };
}

function givenAgain(text: string, finishReason: Generation['finishReason'], calls?: NativeCall[]): Generation {
  const usage = { promptTokens: 0, completionTokens: 0 };
  return { text, finishReason, usage, ...(calls === undefined ? {} : { calls }) };
}

function isKept(call: ModelCall, request: GenerationRequest, fromTurn: number | null): boolean {
  return fromTurn === null ? isSameReply(call, request) : call.turn < fromTurn;
}

/** Whether the request would have brought the recorded reply: same messages and sampling, and no limit that now falls elsewhere. */
function isSameReply(call: ModelCall, request: GenerationRequest): boolean {
  if (canonicalJson(call.messages) !== canonicalJson(request.messages)) return false;
  if (canonicalJson(call.sampling) !== canonicalJson(request.sampling)) return false;
  const isCut = call.finishReason === 'length' || call.usage.completionTokens > request.maxTokens;
  if (isCut && call.maxTokens !== request.maxTokens) return false;
  if (canonicalJson(call.stop) === canonicalJson(request.stop)) return true;
  return call.finishReason !== 'stop-text' && !request.stop.some((stop) => call.text.includes(stop));
}

function withObservations(request: GenerationRequest, { observations, recorded }: ReplaySettings): GenerationRequest {
  if (observations === undefined || observations.size === 0) return request;
  const shown = new Map(
    modelCalls(recorded).flatMap(({ turn, text }) => {
      const observation = observations.get(turn);
      return observation === undefined ? [] : [[text, observation] as const];
    }),
  );
  const messages = request.messages.map((message, index) => {
    const before = request.messages[index - 1];
    const observation = before?.role === 'assistant' ? shown.get(before.content) : undefined;
    return observation === undefined ? message : { ...message, content: observation };
  });
  return { ...request, messages };
}
