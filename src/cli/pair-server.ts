import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { systemClock } from '../base/clock.ts';
import { contentHash } from '../base/content-hash.ts';
import { CoHarnessError, errorMessage } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import type { Harness } from '../harness/harness.ts';
import type { ModelBackend } from '../model/model-backend.ts';
import { tokensOf } from '../model/tokens-of.ts';
import { streamOf } from '../rollout/program/chat-request.ts';
import type { Runner } from '../rollout/rollout-job.ts';
import { runRollout } from '../rollout/run-rollout.ts';
import type { ToolHosts } from '../rollout/tools/tool-hosts.ts';
import { taskHash } from '../task/task.ts';
import type { Verifier } from '../task/verifier.ts';

const MOST_BODY_BYTES = 1 << 20;

const requestSchema = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.string() })).min(1),
  seed: z.number().int().optional(),
  stream: z.boolean().nullish(),
});

/** Serving needs no verdict. */
const noVerifier: Verifier = {
  version: contentHash('served without a verifier'),
  verify: async () => ({ kind: 'unscored', why: 'served, not verified' }),
};

export interface ServedPair {
  harness: Harness;
  backend: ModelBackend;
  toolHosts: ToolHosts;
  /** Somebody's own agent; absent: our own loop. */
  runner?: Runner;
  /** What `/v1/models` calls it. */
  name: string;
}

/**
 * Answers `GET /v1/models` and `POST /v1/chat/completions` (`stream` too) for clients of this machine: the last user message is the problem, φ does the rest.
 * A client that goes, or whose connection is closed, stops what is generated for it. Not listening yet.
 */
export function pairServer(served: ServedPair): Server {
  return createServer((request, response) => void answer(request, response, served));
}

async function answer(request: IncomingMessage, response: ServerResponse, served: ServedPair): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const refusal = refuse(request);
    if (refusal !== null) return send(response, refusal.status, { error: { message: refusal.message } });
    if (request.url === '/v1/models')
      return send(response, 200, { object: 'list', data: [{ id: served.name, object: 'model' }] });
    if (request.url !== '/v1/chat/completions' || request.method !== 'POST') {
      return send(response, 404, { error: { message: 'Known: GET /v1/models, POST /v1/chat/completions' } });
    }
    const body = parseJson(requestSchema, await readBody(request), { file: 'the request body' });
    const completion = await complete(body, served, gone.signal);
    if (body.stream !== true) return send(response, 200, completion);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(streamOf(completion));
  } catch (error) {
    if (response.destroyed) return;
    send(response, CoHarnessError.isInstance(error) ? 400 : 500, { error: { message: errorMessage(error) } });
  }
}

/** A page in a browser must not reach the endpoint: only our own Host, and no foreign Origin (DNS rebinding). */
function refuse(request: IncomingMessage): { status: number; message: string } | null {
  const port = request.socket.localPort;
  const own = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!own.includes(request.headers.host ?? ''))
    return { status: 403, message: 'Host must be 127.0.0.1 or localhost.' };
  const { origin } = request.headers;
  if (origin !== undefined && !own.some((host) => origin === `http://${host}`))
    return { status: 403, message: 'Foreign origin.' };
  return null;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BODY_BYTES)
      throw new CoHarnessError('invalid-data', `The request body is larger than ${MOST_BODY_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function complete(
  body: z.output<typeof requestSchema>,
  { harness, backend, toolHosts, runner, name }: ServedPair,
  signal: AbortSignal,
) {
  const problem = body.messages.findLast((message) => message.role === 'user')?.content ?? '';
  const row = { problem, answer: null };
  const trajectory = await runRollout({
    harness,
    model: backend,
    task: { id: 'served', ...row, hash: taskHash(row), group: 'served' },
    split: 'eval',
    repeat: 0,
    seed: body.seed ?? 0,
    verifier: noVerifier,
    sampling: null,
    clock: systemClock,
    toolHosts,
    ...(runner === undefined ? {} : { runner }),
    signal,
  });
  return {
    id: `chatcmpl-${contentHash(trajectory.identity).slice(0, 12)}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: name,
    choices: [{ index: 0, message: { role: 'assistant', content: trajectory.answer ?? '' }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: trajectory.usage.promptTokens,
      completion_tokens: trajectory.usage.completionTokens,
      total_tokens: tokensOf(trajectory.usage),
    },
  };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
