import type { ChatMessage, Generation, NativeTool } from '../model/model-backend.ts';
import { ProviderError } from '../model/provider-error.ts';
import type { TurnKind } from '../trajectory/trajectory.ts';
import { type MeteredPass, meteredGeneration } from './metered-generation.ts';
import { WallLimitReached } from './wall-limit.ts';

export interface ModelCallOrder {
  turn: number;
  turnKind: TurnKind;
  messages: ChatMessage[];
  /** Default: φ's tokens per turn. */
  maxTokens?: number;
  /** Offered in the server's own protocol, where φ's dialect is `native`. */
  tools?: readonly NativeTool[];
}

/** One call of the model with φ's settings. Rejects with WallLimitReached, AbortedError or ProviderError. */
export type CallModel = (order: ModelCallOrder) => Promise<Generation>;

export function modelCaller(pass: MeteredPass): CallModel {
  const { job, limit } = pass;
  const { sampling, limits, protocol } = job.harness.settings;
  return async (order) => {
    if (limit.isReached()) throw new WallLimitReached();
    if (order.tools !== undefined && job.model.nativeTools !== true) throw noNativeTools();
    // Stop strings end a call; a final text has none.
    const stop = order.turnKind === 'working' ? [...protocol.stop] : [];
    return meteredGeneration(pass, { maxTokens: limits.tokensPerTurn, ...order, sampling, stop });
  };
}

function noNativeTools(): ProviderError {
  return new ProviderError(
    'bad-response',
    'harness.yaml protocol.dialect.kind is "native", but this engine has no tool protocol of its own. Use an OpenAI-compatible server, or another dialect.',
  );
}
