import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CoHarnessError, errorMessage } from '../../base/errors.ts';
import { answerChat, sendFailure } from './chat-endpoint.ts';
import { chatRequestSchema, completionOf } from './chat-request.ts';
import type { MeteredCalls } from './metered-calls.ts';

const MOST_BODY_BYTES = 16 << 20;
export const GATEWAY_MODEL = 'co-harness';

/** An OpenAI-compatible address on 127.0.0.1 through which programs call the model of their rollout. */
export interface ModelGateway {
  /** Ends in `/v1`. */
  readonly url: string;
  /** The token under which a program reaches `calls`; `end` makes it worthless. */
  admit(calls: MeteredCalls): { token: string; end(): void };
  close(): Promise<void>;
}

/** One server for all rollouts of a run; it does not keep the program alive. */
export async function openModelGateway(): Promise<ModelGateway> {
  const admitted = new Map<string, MeteredCalls>();
  const server = createServer((request, response) => void answer(request, response, admitted));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    admit: (calls) => {
      const token = randomBytes(24).toString('base64url');
      admitted.set(token, calls);
      return { token, end: () => admitted.delete(token) };
    },
    close: () => closed(server),
  };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  admitted: ReadonlyMap<string, MeteredCalls>,
): Promise<void> {
  try {
    const calls = admitted.get((request.headers.authorization ?? '').replace(/^Bearer\s+/i, ''));
    if (calls === undefined || request.headers.origin !== undefined) {
      const message = 'Send the token of this rollout: Authorization: Bearer TOKEN.';
      return sendFailure(response, 401, 'unauthorized', message);
    }
    await answerChat(request, response, {
      model: GATEWAY_MODEL,
      schema: chatRequestSchema,
      mostBodyBytes: MOST_BODY_BYTES,
      complete: async (body) => completionOf(await calls.complete(body), `chatcmpl-${calls.finished}`, GATEWAY_MODEL),
    });
  } catch (error) {
    const code = CoHarnessError.isInstance(error) ? error.code : 'internal';
    const isProgramsDoing = ['turn-limit', 'no-native-tools', 'invalid-json', 'invalid-data'].includes(code);
    sendFailure(response, isProgramsDoing ? 400 : 503, code, errorMessage(error));
  }
}
