import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { contentHash } from '../../base/content-hash.ts';
import { AbortedError } from '../../base/errors.ts';
import { harnessFromFiles } from '../../harness/parse-harness.ts';
import { ProviderError } from '../../model/provider-error.ts';
import { scriptedBackend } from '../../model/scripted-backend.ts';
import type { Verifier } from '../../task/verifier.ts';
import { trajectorySchema } from '../../trajectory/trajectory-schema.ts';
import type { RolloutJob, Runner } from '../rollout-job.ts';
import { runRollout } from '../run-rollout.ts';
import { programRunner } from './program-runner.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'program-runner-test-'));
});
afterAll(async () => {
  for (const runner of runners) await runner.close();
  await rm(folder, { recursive: true, force: true });
});

const runners: Runner[] = [];
let scripts = 0;
/** A runner over a shell script that has the task as JSON in $task and `ask TEXT`, which prints the model's raw response. */
async function shell(script: string): Promise<Runner> {
  const file = join(folder, `agent-${++scripts}.sh`);
  const ask = `ask() { curl -s "$OPENAI_BASE_URL/chat/completions" -H "authorization: Bearer $OPENAI_API_KEY" -d "{\\"messages\\": [{\\"role\\": \\"user\\", \\"content\\": \\"$1\\"}]}"; }`;
  await writeFile(file, `#!/bin/sh\ntask=$(cat)\n${ask}\n${script}\n`);
  await chmod(file, 0o755);
  const runner = programRunner({ kind: 'command', command: [file], directory: folder });
  runners.push(runner);
  return runner;
}

const exact: Verifier = {
  version: contentHash('exact'),
  verify: async (task, answer) => ({
    kind: 'scored',
    score: answer === task.answer ? 1 : 0,
    extracted: answer,
    why: 'exact',
  }),
};

function job(runner: Runner, changes: Partial<RolloutJob> & { settings?: string } = {}): RolloutJob {
  const { settings = '', ...rest } = changes;
  const files = { 'harness.yaml': `name: demo\n${settings}`, 'prompts/system.md': 'Answer in capitals.\n' };
  return {
    harness: harnessFromFiles(new Map(Object.entries(files))),
    model: scriptedBackend({ reply: ({ messages }) => `HEARD ${messages.at(-1)?.content}` }),
    task: { id: 't', problem: 'p', answer: 'secret', group: 'g', hash: contentHash('t') },
    split: 'train',
    repeat: 0,
    seed: 1,
    verifier: exact,
    sampling: null,
    clock: systemClock,
    runner,
    ...rest,
  };
}

const ONE_CALL = `
reply=$(ask "$(cat "$CO_HARNESS_HARNESS/prompts/system.md" | tr -d '\\n')")
text=$(printf '%s' "$reply" | sed 's/.*"content":"\\([^"]*\\)".*/\\1/')
printf '{"answer": "%s"}' "$text"`;

describe('an agent that is a shell script', { timeout: 60_000 }, () => {
  it('gets the task, reads φ from its folder, calls the metered model, and its answer is judged', async () => {
    const trajectory = await runRollout(job(await shell(ONE_CALL)));
    expect(trajectory.answer).toBe('HEARD Answer in capitals.');
    expect(trajectory.outcome).toMatchObject({ kind: 'scored', score: 0 });
    expect(trajectory.usage.completionTokens).toBeGreaterThan(0);
    expect(trajectorySchema.parse(trajectory)).toEqual(trajectory);
  });

  it('leaves the record of the meter as its trajectory, token ids included', async () => {
    const { events } = await runRollout(job(await shell(ONE_CALL)));
    expect(events.map(({ type }) => type)).toEqual(['model-called', 'answered']);
    expect(events[0]).toMatchObject({
      turn: 0,
      text: 'HEARD Answer in capitals.',
      completionTokenIds: expect.any(Array),
    });
  });

  it('is never told the expected answer', async () => {
    const trajectory = await runRollout(
      job(
        await shell(
          'case "$task" in *secret*) echo \'{"answer": "told"}\';; *) echo \'{"answer": "not told"}\';; esac',
        ),
      ),
    );
    expect(trajectory.answer).toBe('not told');
  });

  it('may report its tool calls, as chat messages or as ATIF', async () => {
    const messages = [
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'seen' },
    ];
    const atif = {
      schema_version: 'ATIF-v1.4',
      steps: [
        { step_id: 1, source: 'user', message: 'p' },
        {
          step_id: 2,
          source: 'agent',
          message: '',
          tool_calls: [{ tool_call_id: 'c1', function_name: 'look', arguments: { at: 1 } }],
          observation: { results: [{ source_call_id: 'c1', content: 'seen' }] },
        },
      ],
    };
    for (const trajectory of [messages, atif]) {
      const said = JSON.stringify({ answer: 'x', trajectory });
      const { events } = await runRollout(job(await shell(`ask hello > /dev/null\ncat <<'END'\n${said}\nEND`)));
      expect(events.map(({ type }) => type)).toEqual(['model-called', 'call-parsed', 'tool-returned', 'answered']);
      expect(events[2]).toMatchObject({ turn: 0, call: { tool: 'look', arguments: { at: 1 } }, value: 'seen' });
    }
  });

  it('leaves no call running that it does not wait for: the engine is told to stop before its answer is judged', async () => {
    const slowAsked = Promise.withResolvers<void>();
    let isStopped = false;
    const model = scriptedBackend({
      reply: async ({ messages, signal }) => {
        if (messages.at(-1)?.content === 'fast') return slowAsked.promise.then(() => 'at once');
        signal?.addEventListener('abort', () => {
          isStopped = true;
        });
        slowAsked.resolve();
        return new Promise<string>(() => {});
      },
    });
    const verify: Verifier['verify'] = async (_, answer) => {
      expect(isStopped).toBe(true);
      return { kind: 'scored', score: 1, extracted: answer, why: 'any' };
    };
    const script = 'ask slow > /dev/null &\nask fast > /dev/null\necho \'{"answer": "first"}\'';
    const { outcome, events } = await runRollout(job(await shell(script), { model, verifier: { ...exact, verify } }));
    expect(outcome).toMatchObject({ kind: 'scored', score: 1 });
    expect(events).toMatchObject([
      { type: 'model-called', text: 'at once' },
      { type: 'answered', answer: 'first' },
    ]);
  });

  it('is done when it exits, though something that it started holds its pipes', async () => {
    const runner = await shell('sleep 100 &\necho \'{"answer": "done"}\'');
    expect((await runRollout(job(runner, { settings: 'limits: { wallMs: 20000 }\n' }))).answer).toBe('done');
  });

  it('has as many model calls as φ allows and is told so', async () => {
    const trajectory = await runRollout(
      job(await shell('ask a; ask b; echo; echo \'{"answer": "done"}\''), { settings: 'limits: { turns: 1 }\n' }),
    );
    expect(trajectory.answer).toBe('done');
    expect(trajectory.events.map(({ type }) => type)).toEqual(['model-called', 'turn-limit-reached', 'answered']);
  });

  it('is another agent when its file changes, and so another rollout', async () => {
    const [one, other] = [await shell('echo 1'), await shell('echo 2')];
    expect(one.version).not.toBe(other.version);
    expect((await runRollout(job(one))).identity.runner).toBe(one.version);
  });
});

describe('an agent that fails', { timeout: 60_000 }, () => {
  it.each([
    ['crashes', 'echo broken >&2; exit 3', 'ended with 3: broken'],
    ['prints no answer', 'echo hello', 'expected {"answer"'],
    ['prints nothing', 'true', 'printed nothing'],
  ])('%s: φ is scored 0 and the trajectory says why', async (_, script, why) => {
    const { outcome, events } = await runRollout(job(await shell(script)));
    expect(outcome).toMatchObject({ kind: 'scored', score: 0 });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'fault', boundary: 'middleware', problem: expect.stringContaining(why) }),
    );
  });

  it('runs past φ’s time limit: it is ended with everything it started, and scored 0', async () => {
    const { outcome, events } = await runRollout(
      job(await shell('sleep 100 & sleep 100'), { settings: 'limits: { wallMs: 1500 }\n' }),
    );
    expect(outcome).toMatchObject({ kind: 'scored', score: 0 });
    expect(events.at(-1)?.type).toBe('wall-limit-reached');
  });

  it('waits for an engine that answers nothing until φ’s time is over: that is not φ’s doing, and nothing is scored', async () => {
    const model = scriptedBackend({ reply: () => new Promise<string>(() => {}) });
    const runner = await shell('ask hello > /dev/null; echo \'{"answer": "late"}\'');
    const { outcome } = await runRollout(job(runner, { model, settings: 'limits: { wallMs: 1500 }\n' }));
    expect(outcome).toMatchObject({ kind: 'unscored', boundary: 'provider' });
  });

  it('cannot be started, or asks to be tried later: nothing is scored', async () => {
    const missing = programRunner({ kind: 'command', command: [join(folder, 'absent')], directory: folder });
    runners.push(missing);
    expect((await runRollout(job(missing))).outcome).toMatchObject({ kind: 'unscored', boundary: 'sandbox' });
    expect((await runRollout(job(await shell('exit 75')))).outcome).toMatchObject({
      kind: 'unscored',
      boundary: 'sandbox',
    });
  });

  it('met a model engine that was down: nothing is scored, whatever it answers', async () => {
    const model = scriptedBackend({
      reply: () => {
        throw new ProviderError('engine', 'the engine is down');
      },
    });
    const runner = await shell('ask hello > /dev/null; echo \'{"answer": "secret"}\'');
    const { outcome } = await runRollout(job(runner, { model }));
    expect(outcome).toMatchObject({
      kind: 'unscored',
      boundary: 'provider',
      why: expect.stringContaining('the engine is down'),
    });
  });

  it('met an engine that broke its contract: that is the engine’s doing too', async () => {
    const model = {
      ...scriptedBackend({ reply: () => '' }),
      generate: () => Promise.reject(new TypeError('x is undefined')),
    };
    const runner = await shell('ask hello > /dev/null; echo \'{"answer": "secret"}\'');
    const { outcome } = await runRollout(job(runner, { model }));
    expect(outcome).toMatchObject({ kind: 'unscored', boundary: 'provider' });
  });

  it('uses a token of another rollout, or none: it gets no model', async () => {
    const { answer } = await runRollout(
      job(await shell('OPENAI_API_KEY=guessed; ask hello | grep -q unauthorized && echo \'{"answer": "refused"}\'')),
    );
    expect(answer).toBe('refused');
  });

  it('is ended when the user stops', async () => {
    const controller = new AbortController();
    const running = runRollout(job(await shell('sleep 100'), { signal: controller.signal }));
    setTimeout(() => controller.abort(), 500);
    await expect(running).rejects.toBeInstanceOf(AbortedError);
  });
});

describe('an agent behind an address', () => {
  it('gets the same by POST and answers the same', async () => {
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const part of request) body += part;
      const { task, model } = JSON.parse(body);
      const reply = await fetch(`${model.url}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${model.token}` },
        body: JSON.stringify({ messages: [{ role: 'user', content: task.problem }] }),
      });
      const completion = (await reply.json()) as { choices: [{ message: { content: string } }] };
      response.end(JSON.stringify({ answer: completion.choices[0].message.content }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const runner = programRunner({ kind: 'url', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
    runners.push(runner);
    expect((await runRollout(job(runner))).answer).toBe('HEARD p');
    server.close();
    server.closeAllConnections();
    expect((await runRollout(job(runner))).outcome).toMatchObject({ kind: 'unscored', boundary: 'sandbox' });
  });
});
