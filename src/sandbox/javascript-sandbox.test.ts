import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { AbortedError } from '../base/errors.ts';
import { HOSTILE_JAVASCRIPT } from './hostile-javascript.fixture.ts';
import { isForeseen } from './hostile-try.fixture.ts';
import { javaScriptSandbox } from './javascript-sandbox.ts';
import { NO_OUTPUT, type SandboxLimits, shownText } from './sandbox.ts';

const limits: SandboxLimits = { wallMs: 5_000, memoryBytes: 48 << 20, outputCharacters: 2_000 };
const hostile: SandboxLimits = { ...limits, wallMs: 1_000 };
/** Apart, so that the layer rule does not take the guest's import for one of ours. */
const UP = '../';
const sandbox = javaScriptSandbox();
afterAll(() => sandbox.close());

describe('the JavaScript sandbox', () => {
  it('gives the value of the last expression and what was printed', async () => {
    expect(await sandbox.run("console.log('sum', { of: [1, 2n] }); 1 + 2", limits)).toEqual({
      kind: 'ok',
      value: '3',
      output: 'sum {"of":[1,"2"]}\n',
    });
  });

  it('shows lists, maps, sets, errors and text as people read them', async () => {
    const values = {
      "'text'": 'text',
      '[1, [2]]': '[1,[2]]',
      'new Map([[1, 2]])': '[[1,2]]',
      'new Set([1])': '[1]',
      '7n': '7',
    };
    for (const [code, value] of Object.entries(values))
      expect(await sandbox.run(code, limits)).toMatchObject({ value });
  });

  it('says "(no output)" where there is neither value nor output', async () => {
    const run = await sandbox.run('let x = 1', limits);
    expect(run).toEqual({ kind: 'ok', value: '', output: '' });
    expect(shownText({ value: '', output: '' })).toBe(NO_OUTPUT);
  });

  it('tells what was thrown and where', async () => {
    const run = await sandbox.run("print('before'); nothing.here", limits);
    expect(run).toMatchObject({ kind: 'error', output: 'before\n' });
    expect(run).toHaveProperty('problem', expect.stringContaining("ReferenceError: 'nothing' is not defined"));
  });

  it('waits for a promise', async () => {
    expect(await sandbox.run('(async () => 5)()', limits)).toMatchObject({ kind: 'ok', value: '5' });
    expect(await sandbox.run("Promise.reject(new Error('no'))", limits)).toMatchObject({ kind: 'error' });
  });

  it('keeps the state of a session, and shares none between sessions', async () => {
    const [first, second] = [sandbox.openSession(), sandbox.openSession()];
    await first.run('let x = 40; globalThis.y = 2', limits);
    expect(await first.run('x + y', limits)).toMatchObject({ value: '42' });
    expect(await second.run('typeof x + typeof y', limits)).toMatchObject({ value: 'undefinedundefined' });
    first.close();
    const third = sandbox.openSession();
    expect(await third.run('typeof x + typeof y', limits)).toMatchObject({ value: 'undefinedundefined' });
    second.close();
    third.close();
  });

  it('starts a fresh world after a run that reached a limit', async () => {
    const session = sandbox.openSession();
    await session.run('globalThis.kept = 1', limits);
    expect(await session.run('for (;;);', { ...limits, wallMs: 200 })).toMatchObject({ kind: 'timeout' });
    expect(await session.run('typeof kept', limits)).toMatchObject({ value: 'undefined' });
    session.close();
  });

  it('calls the default export of a program, whose files may import each other, and keeps its state', async () => {
    const program = {
      entry: 'tool.js',
      files: new Map([
        [
          'tool.js',
          "import { twice } from './lib/twice.js';\nlet calls = 0;\nexport default async ({ n }) => ({ twice: twice(n), calls: ++calls });",
        ],
        ['lib/twice.js', `import { two } from '${UP}two.js';\nexport const twice = (n) => n * two;`],
        ['two.js', 'export const two = 2;'],
      ]),
    };
    const session = sandbox.openSession();
    expect(await session.call(program, { n: 4 }, limits)).toMatchObject({ kind: 'ok', value: '{"twice":8,"calls":1}' });
    expect(await session.call(program, { n: 5 }, limits)).toMatchObject({
      kind: 'ok',
      value: '{"twice":10,"calls":2}',
    });
    session.close();
  });

  it('says what a program without a default function lacks', async () => {
    const session = sandbox.openSession();
    const run = await session.call(
      { entry: 'tool.js', files: new Map([['tool.js', 'export const x = 1']]) },
      {},
      limits,
    );
    expect(run).toMatchObject({ kind: 'error', problem: expect.stringContaining('default export') });
    session.close();
  });

  it('refuses code that is larger than anything a person would write', async () => {
    expect(await sandbox.run(`'${'x'.repeat(2e6)}'`, limits)).toMatchObject({ kind: 'refused' });
  });

  it('tells a thrown null from memory that ran out before its error was made', async () => {
    const small = { ...limits, memoryBytes: 24 << 20 };
    expect(await sandbox.run('throw null', small)).toMatchObject({ kind: 'error', problem: 'thrown: null' });
    for (let length = 40; length < 48; length++) {
      const run = await sandbox.run(`const all = []; for (;;) all.push({ all, text: 'y'.repeat(${length}) })`, small);
      expect(run.kind).toBe('memory');
    }
  });

  it('ends the run when the caller stops', async () => {
    const controller = new AbortController();
    const running = sandbox.run('for (;;);', { ...limits, wallMs: 60_000, signal: controller.signal });
    setTimeout(() => controller.abort(), 300);
    await expect(running).rejects.toBeInstanceOf(AbortedError);
    expect(await sandbox.run('1', limits)).toMatchObject({ value: '1' });
  });

  it('runs more sessions than there are threads, one after the other', async () => {
    const small = javaScriptSandbox({ most: 2, spares: 1 });
    const runs = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => small.run(`${n} * ${n}`, limits)));
    expect(runs.map((run) => (run.kind === 'ok' ? run.value : run.problem))).toEqual(['1', '4', '9', '16', '25', '36']);
    await small.close();
  });
});

describe('tries to leave the JavaScript sandbox', () => {
  const before = residentMegabytes();

  it('are at least 30 and all different', () => {
    expect(new Set(HOSTILE_JAVASCRIPT.map(({ code }) => code)).size).toBeGreaterThanOrEqual(30);
  });

  it.each(HOSTILE_JAVASCRIPT)('$goal: in vain', { timeout: 90_000 }, async (hostileTry) => {
    const run = await sandbox.run(hostileTry.code, hostile);
    expect(isForeseen(hostileTry, run), JSON.stringify(run).slice(0, 500)).toBe(true);
    expect(JSON.stringify(run).length).toBeLessThan(3 * limits.outputCharacters);
    expect(await sandbox.run('6 * 7', limits)).toMatchObject({ kind: 'ok', value: '42' });
  });

  it('left the host’s objects, its files and its memory as they were', () => {
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
    expect(readdirSync(import.meta.dirname)).toContain('sandbox.ts');
    expect(residentMegabytes() - before).toBeLessThan(600);
  });
});

function residentMegabytes(): number {
  return process.memoryUsage().rss / (1 << 20);
}
