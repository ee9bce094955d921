import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { manualClock } from '../src/base/clock.ts';
import { contentHash } from '../src/base/content-hash.ts';
import { memoryJournal } from '../src/base/journal.ts';
import { runConfigSchema } from '../src/evolution/run-config.ts';
import { prepareRun } from '../src/evolution/start-run.ts';
import { writeHarness } from '../src/harness/harness-folder.ts';
import { scriptedBackend } from '../src/model/scripted-backend.ts';
import { readReport } from '../src/report/report-data.ts';
import { runRollout } from '../src/rollout/run-rollout.ts';
import { chooseVerifier } from '../src/task/choose-verifier.ts';
import { type LocalServer, listen } from './scripted-world/model-server.ts';
import { executeScriptedRun, scriptedRun, seedHarness, sumTasks } from './scripted-world/scripted-world.ts';

let folder: string;
let judge: LocalServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'co-harness-judge-'));
  judge = await judgeServer();
});
afterAll(async () => {
  judge.close();
  await rm(folder, { recursive: true, force: true });
});

/** A judge that compares the last number of the answer with the reference. */
function judgeServer(): Promise<LocalServer> {
  return listen(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { messages } = JSON.parse(text) as { messages: { content: string }[] };
    const { reference, answer } = JSON.parse(messages.at(-1)?.content ?? '') as { reference: string; answer: string };
    const verdict = answer.match(/\d+/g)?.at(-1) === reference ? 'correct' : 'incorrect';
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        model: 'judge',
        choices: [{ index: 0, finish_reason: 'stop', message: { content: JSON.stringify({ verdict }) } }],
        usage: { prompt_tokens: 100, completion_tokens: 10 },
      }),
    );
  });
}

const verifierOf = (changes: object = {}) => ({
  kind: 'judge',
  model: `openai:${judge.url}#judge`,
  votes: 1,
  ...changes,
});

it('a run refuses a judge for its sealed test before anything is paid, and says how to allow it', async () => {
  await writeHarness(join(folder, 'harness'), seedHarness());
  // No two share words, so that none is a near-copy.
  const words = (index: number) => contentHash({ index }).match(/.{6}/g)?.join(' ') ?? '';
  const rows = Array.from({ length: 240 }, (_, index) => ({
    id: `t${index}`,
    problem: words(index),
    answer: `${index}`,
  }));
  const config = (verifier: object) =>
    runConfigSchema.parse({
      name: 'sums',
      model: { source: 'file:none' },
      tasks: { generate: () => rows, gate: 80, test: 40 },
      verifier,
    });
  const file = join(folder, 'co-harness.config.ts');
  await expect(prepareRun(config(verifierOf()), file)).rejects.toMatchObject({
    code: 'judge-on-sealed-test',
    message: expect.stringContaining('verifier.sealedTest: allow'),
  });
  const allowed = await prepareRun(config(verifierOf({ sealedTest: 'allow' })), file);
  expect(allowed.verifier.refusesSealed).toBeUndefined();
  expect(judge.requests()).toBe(0);
});

it('a sealed task that reaches a judge all the same is unscored, and the judge is not asked', async () => {
  const [task] = sumTasks(1);
  if (task === undefined) throw new Error('no task');
  const rollout = await runRollout({
    harness: seedHarness(),
    model: scriptedBackend({ reply: () => '5' }),
    task,
    split: 'test',
    repeat: 0,
    seed: 1,
    verifier: chooseVerifier(verifierOf(), '.'),
    sampling: null,
    clock: manualClock(),
  });
  expect(rollout.outcome).toMatchObject({ kind: 'unscored', boundary: 'verifier' });
  expect(judge.requests()).toBe(0);
});

it('a run with an allowed judge counts each of its calls, in the ledger and in the token budget, and the report says who judged', async () => {
  const journal = memoryJournal();
  const sizes = { miningTasks: 12, candidates: 2, screeningTasks: 8, gateGroups: 40, testTasks: 10 };
  const prepared = scriptedRun({
    verifier: verifierOf({ sealedTest: 'allow' }),
    only: 'harness',
    rounds: 1,
    iterations: 1,
    sizes,
  });
  const before = judge.requests();
  await executeScriptedRun({ folder: join(folder, 'run'), journal, prepared });
  const report = await readReport(journal, 'run');
  expect(report.judge).toEqual({ model: `openai:${judge.url}#judge`, votes: 1 });
  const line = report.ledger.lines.find(({ purpose }) => purpose === 'verifier');
  const calls = judge.requests() - before;
  expect(calls).toBeGreaterThan(20);
  expect(line).toMatchObject({ modelCalls: calls, promptTokens: 100 * calls, completionTokens: 10 * calls });
}, 120_000);
