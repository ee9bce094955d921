import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import { CoHarnessError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { type completionOf, streamOf } from './chat-request.ts';

/** What stands behind an OpenAI-compatible address. */
export interface ChatEndpoint<Body> {
  /** What `/v1/models` calls it. */
  model: string;
  schema: z.ZodType<Body>;
  mostBodyBytes: number;
  complete(body: Body): Promise<ReturnType<typeof completionOf>>;
}

/**
 * Answers `GET /v1/models` and `POST /v1/chat/completions` (`stream` too), and 404 to anything else. Rejects with CoHarnessError `invalid-json` or
 * `invalid-data` for a body that is too large or of another form, and with what `complete` rejects: which status that is, the caller knows.
 */
export async function answerChat<Body extends { stream?: boolean | null | undefined }>(
  request: IncomingMessage,
  response: ServerResponse,
  { model, schema, mostBodyBytes, complete }: ChatEndpoint<Body>,
): Promise<void> {
  if (request.method === 'GET' && request.url === '/v1/models')
    return send(response, 200, { object: 'list', data: [{ id: model, object: 'model' }] });
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions')
    return sendFailure(response, 404, 'not-found', 'Known: GET /v1/models, POST /v1/chat/completions');
  const body = parseJson(schema, await bodyOf(request, mostBodyBytes), { file: 'the request body' });
  const completion = await complete(body);
  if (body.stream !== true) return send(response, 200, completion);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(streamOf(completion));
}

/** OpenAI's form of an error. Nothing where the answer has begun. */
export function sendFailure(response: ServerResponse, status: number, code: string, message: string): void {
  send(response, status, { error: { message, code, type: 'co_harness' } });
}

async function bodyOf(request: IncomingMessage, mostBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes)
      throw new CoHarnessError('invalid-data', `The request body is larger than ${mostBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent) return;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
