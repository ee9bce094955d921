import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CoHarnessError, errorMessage } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { chatRequestSchema, completionOf, streamOf } from './chat-request.ts';
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
      return send(
        response,
        401,
        failure('unauthorized', 'Send the token of this rollout: Authorization: Bearer TOKEN.'),
      );
    }
    if (request.method === 'GET' && request.url === '/v1/models') {
      return send(response, 200, { object: 'list', data: [{ id: GATEWAY_MODEL, object: 'model' }] });
    }
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
      return send(response, 404, failure('not-found', 'Known: GET /v1/models, POST /v1/chat/completions'));
    }
    const body = parseJson(chatRequestSchema, await bodyOf(request), { file: 'the request body' });
    const generation = await calls.complete(body);
    const completion = completionOf(generation, `chatcmpl-${calls.finished}`, GATEWAY_MODEL);
    if (body.stream !== true) return send(response, 200, completion);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(streamOf(completion));
  } catch (error) {
    const code = CoHarnessError.isInstance(error) ? error.code : 'internal';
    const isProgramsDoing = ['turn-limit', 'no-native-tools', 'invalid-json', 'invalid-data'].includes(code);
    send(response, isProgramsDoing ? 400 : 503, failure(code, errorMessage(error)));
  }
}

function failure(code: string, message: string): object {
  return { error: { message, code, type: 'co_harness' } };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BODY_BYTES) {
      throw new CoHarnessError('invalid-data', `The request body is larger than ${MOST_BODY_BYTES} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent) return;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
