import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { systemClock } from '../base/clock.ts';
import { type ContentHash, contentHash } from '../base/content-hash.ts';
import { CoHarnessError, errorMessage } from '../base/errors.ts';
import { parseJson, readTextFile } from '../base/json.ts';
import { runConfigSchema } from '../evolution/run-config.ts';
import type { Harness } from '../harness/harness.ts';
import { readHarness } from '../harness/harness-folder.ts';
import { wholeNumber } from '../lab/option-numbers.ts';
import { openLlamaCppBackend } from '../model/llama-cpp-backend.ts';
import type { ModelBackend } from '../model/model-backend.ts';
import { tokensOf } from '../model/tokens-of.ts';
import { streamOf } from '../rollout/program/chat-request.ts';
import { runRollout } from '../rollout/run-rollout.ts';
import { closeToolHosts, type ToolHosts } from '../rollout/tools/tool-hosts.ts';
import { taskHash } from '../task/task.ts';
import type { Verifier } from '../task/verifier.ts';
import { openModel } from './open-model.ts';
import { openToolHosts } from './open-tool-hosts.ts';

const MOST_BODY_BYTES = 1 << 20;

const pairFileSchema = z.looseObject({
  schema: z.literal('co-harness/pair@1'),
  pair: z.string(),
  model: z.object({ base: z.string(), adapter: z.string().nullable() }),
  engine: runConfigSchema.shape.model,
});

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

export function registerServeCommand(program: Command): void {
  program
    .command('serve')
    .description('an exported pair as an OpenAI-compatible endpoint on 127.0.0.1, harness inside')
    .argument('<folder>', 'what `co-harness export` wrote')
    .option('--port <number>', 'port on 127.0.0.1', wholeNumber, 8793)
    .action(serve);
}

function noPair(folder: string): CoHarnessError {
  const isAgent = ['harness.yaml', 'harness'].some((name) => existsSync(join(folder, name)));
  const hint = isAgent ? '; it holds a harness, which has no weights of its own' : '';
  return new CoHarnessError(
    'no-pair',
    `${folder} holds no exported pair (pair.json)${hint}. Serve what this writes: npx co-harness export --out FOLDER`,
    { details: { folder } },
  );
}

async function serve(folder: string, options: { port: number }): Promise<void> {
  const pairFile = join(folder, 'pair.json');
  if (!existsSync(pairFile)) throw noPair(folder);
  const pair = parseJson(pairFileSchema, await readTextFile(pairFile), { file: pairFile });
  const harness = await readHarness(join(folder, 'harness'));
  const controller = new AbortController();
  const weights = await openModel(pair.engine, {
    signal: controller.signal,
    log: (text) => process.stderr.write(`${text}\n`),
  });
  if (weights.hash !== pair.model.base) {
    throw new CoHarnessError(
      'model-changed',
      `The weights have hash ${weights.hash}, the pair was made with ${pair.model.base}.`,
    );
  }
  const adapterFile = join(folder, 'adapter', 'adapter.gguf');
  const backend = await openLlamaCppBackend({
    modelPath: weights.path,
    modelHash: weights.hash,
    ...(existsSync(adapterFile) ? { adapter: { path: adapterFile, hash: pair.model.adapter as ContentHash } } : {}),
    ...(pair.engine.sequences === undefined ? {} : { sequences: pair.engine.sequences }),
    windowTokens: pair.engine.windowTokens,
  });
  const toolHosts = openToolHosts(undefined, { log: (text) => process.stderr.write(`${text}\n`) });
  const { port } = options;
  const server = createServer(
    (request, response) =>
      void answer(request, response, {
        harness,
        backend,
        toolHosts,
        port,
        name: pair.pair,
        signal: controller.signal,
      }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  process.stdout.write(`Serving pair ${pair.pair.slice(0, 8)} on http://127.0.0.1:${port}/v1 (Ctrl-C stops)\n`);
  await new Promise<void>((resolve) => process.once('SIGINT', resolve));
  // What is being generated would otherwise be waited for.
  controller.abort();
  server.close();
  server.closeAllConnections();
  await closeToolHosts(toolHosts);
  await backend.close();
}

interface Served {
  harness: Harness;
  backend: ModelBackend;
  toolHosts: ToolHosts;
  port: number;
  name: string;
  /** Fires when the server stops. */
  signal: AbortSignal;
}

async function answer(request: IncomingMessage, response: ServerResponse, served: Served): Promise<void> {
  // A client that has gone waits for no answer.
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const refusal = refuse(request, served.port);
    if (refusal !== null) return send(response, refusal.status, { error: { message: refusal.message } });
    if (request.url === '/v1/models')
      return send(response, 200, { object: 'list', data: [{ id: served.name, object: 'model' }] });
    if (request.url !== '/v1/chat/completions' || request.method !== 'POST') {
      return send(response, 404, { error: { message: 'Known: GET /v1/models, POST /v1/chat/completions' } });
    }
    const body = parseJson(requestSchema, await readBody(request), { file: 'the request body' });
    const completion = await complete(body, served, AbortSignal.any([served.signal, gone.signal]));
    if (body.stream !== true) return send(response, 200, completion);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(streamOf(completion));
  } catch (error) {
    if (response.destroyed) return;
    send(response, CoHarnessError.isInstance(error) ? 400 : 500, { error: { message: errorMessage(error) } });
  }
}

/** A page in a browser must not reach the endpoint: only our own Host, and no foreign Origin (DNS rebinding). */
function refuse(request: IncomingMessage, port: number): { status: number; message: string } | null {
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
  { harness, backend, toolHosts, name }: Served,
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
