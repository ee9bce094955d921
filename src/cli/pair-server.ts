import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { systemClock } from '../base/clock.ts';
import { contentHash } from '../base/content-hash.ts';
import { CoHarnessError, errorMessage } from '../base/errors.ts';
import type { Harness } from '../harness/harness.ts';
import type { ModelBackend } from '../model/model-backend.ts';
import { answerChat, sendFailure } from '../rollout/program/chat-endpoint.ts';
import { completionOf } from '../rollout/program/chat-request.ts';
import type { Runner } from '../rollout/rollout-job.ts';
import { runRollout } from '../rollout/run-rollout.ts';
import type { ToolHosts } from '../rollout/tools/tool-hosts.ts';
import { taskHash } from '../task/task.ts';
import type { Verifier } from '../task/verifier.ts';

const MOST_BODY_BYTES = 1 << 20;

const requestSchema = z.looseObject({
  messages: z
    .array(z.looseObject({ role: z.string(), content: z.string() }))
    .refine(
      (messages) => messages.some(({ role }) => role === 'user'),
      'expected a message of the role user: the last one is the task',
    ),
  seed: z.number().int().optional(),
  stream: z.boolean().nullish(),
});

/** By the code of an error; any other is the client's. */
const STATUS: Readonly<Record<string, number>> = { internal: 500, invariant: 500, infrastructure: 503 };

/** Serving needs no verdict, but votes are counted by what a verifier takes for their answer. The score is never read. */
const noVerifier: Verifier = {
  version: contentHash('served without a verifier'),
  verify: async (_task, answer) => ({ kind: 'scored', score: 0, extracted: answer, why: 'served, not verified' }),
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
 * An engine that failed is a 503, and not an empty answer. A client that goes, or whose connection is closed, stops what is generated for it. Not listening yet.
 */
export function pairServer(served: ServedPair): Server {
  return createServer((request, response) => void answer(request, response, served));
}

async function answer(request: IncomingMessage, response: ServerResponse, served: ServedPair): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const refusal = refuse(request);
    if (refusal !== null) return sendFailure(response, 403, 'forbidden', refusal);
    await answerChat(request, response, {
      model: served.name,
      schema: requestSchema,
      mostBodyBytes: MOST_BODY_BYTES,
      complete: (body) => complete(body, served, gone.signal),
    });
  } catch (error) {
    if (response.destroyed) return;
    const code = CoHarnessError.isInstance(error) ? error.code : 'internal';
    sendFailure(response, STATUS[code] ?? 400, code, errorMessage(error));
  }
}

/** A page in a browser must not reach the endpoint: only our own Host, and no foreign Origin (DNS rebinding). */
function refuse(request: IncomingMessage): string | null {
  const port = request.socket.localPort;
  const own = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!own.includes(request.headers.host ?? '')) return 'Host must be 127.0.0.1 or localhost.';
  const { origin } = request.headers;
  const isForeign = origin !== undefined && !own.some((host) => origin === `http://${host}`);
  return isForeign ? 'Foreign origin.' : null;
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
  const { answer: said, outcome, usage } = trajectory;
  if (outcome.kind === 'unscored') throw new CoHarnessError('infrastructure', outcome.why);
  const id = `chatcmpl-${contentHash(trajectory.identity).slice(0, 12)}`;
  const completion = completionOf({ text: said ?? '', finishReason: 'end', usage }, id, name);
  return { ...completion, created: Math.floor(Date.now() / 1000) };
}
