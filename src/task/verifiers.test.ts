import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contentHash } from '../base/content-hash.ts';
import { chooseVerifier } from './choose-verifier.ts';
import { commandVerifier } from './command-verifier.ts';
import { exactVerifier } from './exact-verifier.ts';
import { functionCallVerifier } from './function-call-verifier.ts';
import type { Task } from './task.ts';
import type { Verifier } from './verifier.ts';

const taskOf = (answer: Task['answer']): Task => ({
  id: 't',
  problem: 'Say it.',
  answer,
  hash: contentHash(answer),
  group: 'g',
});

async function scoreOf(verifier: Verifier, gold: Task['answer'], answer: string | null): Promise<number | 'unscored'> {
  const verdict = await verifier.verify(taskOf(gold), answer);
  return verdict.kind === 'scored' ? verdict.score : 'unscored';
}

describe('exactVerifier', () => {
  it('compares text after trimming and joining white space, with case unless told otherwise', async () => {
    const strict = exactVerifier({ ignoreCase: false });
    expect(await scoreOf(strict, 'Port Louis', '  Port \n Louis ')).toBe(1);
    expect(await scoreOf(strict, 'Port Louis', 'port louis')).toBe(0);
    expect(await scoreOf(exactVerifier({ ignoreCase: true }), 'Port Louis', 'PORT LOUIS')).toBe(1);
    expect(await scoreOf(strict, 'Port Louis', 'It is Port Louis')).toBe(0);
    expect(await scoreOf(strict, true, 'true')).toBe(1);
    expect(await scoreOf(strict, 'é', 'e\u0301')).toBe(1);
  });

  it('compares lists and objects as JSON content', async () => {
    const verifier = exactVerifier({ ignoreCase: false });
    expect(await scoreOf(verifier, { a: 1, b: [2, 3] }, '{ "b": [2, 3], "a": 1 }')).toBe(1);
    expect(await scoreOf(verifier, { a: 1, b: [2, 3] }, '{"b": [3, 2], "a": 1}')).toBe(0);
    expect(await scoreOf(verifier, ['x'], 'x')).toBe(0);
  });
});

describe('functionCallVerifier', () => {
  const verifier = functionCallVerifier();
  const weather = [{ weather: { city: ['Paris', 'Paris, France'], days: [3], unit: ['', 'celsius'] } }];

  it('accepts any listed value, in any case and spacing, and optional parameters left out or given', async () => {
    expect(await scoreOf(verifier, weather, '[{"weather": {"city": "paris france", "days": 3.0}}]')).toBe(1);
    expect(
      await scoreOf(
        verifier,
        weather,
        '{"name": "weather", "arguments": {"city": "Paris", "days": 3, "unit": "Celsius"}}',
      ),
    ).toBe(1);
  });

  it('refuses a wrong function, value, type, missing or unknown parameter, and an extra call', async () => {
    const call = (parameters: Record<string, unknown>, name = 'weather') => JSON.stringify([{ [name]: parameters }]);
    const right = { city: 'Paris', days: 3 };
    expect(await scoreOf(verifier, weather, call(right))).toBe(1);
    for (const wrong of [
      call(right, 'forecast'),
      call({ ...right, days: 4 }),
      call({ ...right, days: '3' }),
      call({ ...right, days: true }),
      call({ city: 'Paris' }),
      call({ ...right, humidity: true }),
      call({ ...right, unit: 'kelvin' }),
      JSON.stringify([{ weather: right }, { weather: right }]),
      '[]',
      'weather(city="Paris", days=3)',
      '[["weather"]]',
      'null',
    ]) {
      expect([wrong, await scoreOf(verifier, weather, wrong)]).toEqual([wrong, 0]);
    }
  });

  it('matches parallel calls in any order, each expected call with a call of its own', async () => {
    const play = [{ play: { song: ['A', 'B'] } }, { play: { song: ['A'] } }];
    expect(await scoreOf(verifier, play, '[{"play": {"song": "A"}}, {"play": {"song": "B"}}]')).toBe(1);
    expect(await scoreOf(verifier, play, '[{"play": {"song": "B"}}, {"play": {"song": "A"}}]')).toBe(1);
    expect(await scoreOf(verifier, play, '[{"play": {"song": "B"}}, {"play": {"song": "B"}}]')).toBe(0);
  });

  it('compares nested lists and objects by their accepted values', async () => {
    const search = [
      { find: { budget: [{ min: [300], max: ['', 400] }], tags: [['Red', 'Blue']], rows: [[{ id: [1, 2] }]] } },
    ];
    const call = (budget: unknown, tags: unknown, rows: unknown) => JSON.stringify([{ find: { budget, tags, rows } }]);
    expect(await scoreOf(verifier, search, call({ min: 300 }, ['red', 'blue'], [{ id: 2 }]))).toBe(1);
    expect(await scoreOf(verifier, search, call({ max: 400 }, ['red', 'blue'], [{ id: 2 }]))).toBe(0);
    expect(await scoreOf(verifier, search, call({ min: 300 }, ['blue', 'red'], [{ id: 2 }]))).toBe(0);
    expect(await scoreOf(verifier, search, call({ min: 300 }, ['red', 'blue'], [{ id: 3 }]))).toBe(0);
  });

  it('expects no call where the gold is the empty list', async () => {
    expect(await scoreOf(verifier, [], '[]')).toBe(1);
    expect(await scoreOf(verifier, [], 'None of the functions fits.')).toBe(1);
    expect(await scoreOf(verifier, [], '[{"weather": {}}]')).toBe(0);
    expect(await scoreOf(verifier, [], null)).toBe(0);
  });

  it('leaves a task unscored whose gold has another form', async () => {
    for (const gold of ['weather()', [{ weather: { city: 'Paris' } }], [{ a: {}, b: {} }]]) {
      expect(await scoreOf(verifier, gold, '[]')).toBe('unscored');
    }
  });
});

describe('commandVerifier', () => {
  const directory = mkdtempSync(join(tmpdir(), 'command-verifier-'));
  const script = (body: string): string => {
    const name = `judge-${contentHash(body).slice(0, 8)}.mjs`;
    writeFileSync(join(directory, name), body);
    return name;
  };
  const judgedBy = (body: string, timeoutMs = 10_000) =>
    commandVerifier({ command: [process.execPath, script(body)], directory, timeoutMs });
  const readInput = 'const input = JSON.parse(await new Response(process.stdin).text());';

  it('gives the program task and answer as JSON and takes the score it prints', async () => {
    const verifier = judgedBy(`import { text } from 'node:stream/consumers';
      const { task, answer } = JSON.parse(await text(process.stdin));
      console.log(JSON.stringify({ score: task.answer === answer.length ? 1 : 0.25, why: task.id }));`);
    expect(await verifier.verify(taskOf(5), 'seven')).toEqual({ kind: 'scored', score: 1, extracted: null, why: 't' });
    expect(await scoreOf(verifier, 5, 'no')).toBe(0.25);
  });

  it('scores no final answer 0 without asking', async () => {
    expect(await scoreOf(judgedBy('console.log(1)'), 5, null)).toBe(0);
  });

  it.each([
    ['a failing program', 'console.log(1); console.error("no licence"); process.exit(3)', /ended with 3: no licence/],
    ['a score above 1', 'console.log(1.5)', /printed "1.5"/],
    ['output that is no score', 'console.log("good")', /printed "good"/],
    ['no output', '', /printed ""/],
  ])('leaves the answer unscored for %s', async (_, body, why) => {
    expect(await judgedBy(body).verify(taskOf(5), 'x')).toMatchObject({
      kind: 'unscored',
      why: expect.stringMatching(why),
      mayBeAnswer: true,
    });
  });

  it('leaves the answer unscored when the time is over, and ends the program with its children', async () => {
    const marker = join(directory, 'alive');
    const verifier = judgedBy(
      `import { spawn } from 'node:child_process';
      spawn(process.execPath, ['-e', 'setTimeout(() => require("fs").writeFileSync(${JSON.stringify(marker)}, ""), 1500)'], { stdio: 'ignore' });
      setTimeout(() => {}, 60_000);`,
      700,
    );
    expect(await verifier.verify(taskOf(5), 'x')).toMatchObject({
      kind: 'unscored',
      why: expect.stringContaining('longer than 700 ms'),
      mayBeAnswer: true,
    });
    await new Promise((resume) => setTimeout(resume, 1_600));
    expect(existsSync(marker)).toBe(false);
  });

  it('ends the program when the user stops', async () => {
    const stop = new AbortController();
    const started = performance.now();
    const verdict = judgedBy('setTimeout(() => {}, 60_000);', 60_000).verify(taskOf(5), 'x', stop.signal);
    setTimeout(() => stop.abort(), 200);
    expect(await verdict).toMatchObject({ kind: 'unscored' });
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  it('leaves the answer unscored when the program does not exist, and passes no text through a shell', async () => {
    const verifier = commandVerifier({ command: ['no-such-program; echo 1'], directory, timeoutMs: 1_000 });
    const why = expect.stringContaining('cannot be started');
    expect(await verifier.verify(taskOf(5), 'x')).toEqual({ kind: 'unscored', why });
  });

  it('changes its version when the content of the program changes', () => {
    const name = script(readInput);
    const versionOf = () => commandVerifier({ command: [process.execPath, name], directory, timeoutMs: 1_000 }).version;
    const before = versionOf();
    expect(versionOf()).toBe(before);
    writeFileSync(join(directory, name), `${readInput}\nconsole.log(0);`);
    expect(versionOf()).not.toBe(before);
  });
});

describe('chooseVerifier', () => {
  it('gives each kind and each option its own version, stable over calls', () => {
    const configs = [
      { kind: 'numeric' },
      { kind: 'exact' },
      { kind: 'exact', ignoreCase: true },
      { kind: 'function-calls' },
      { kind: 'command', command: ['judge'] },
      { kind: 'command', command: ['judge', '--strict'] },
    ];
    const versions = configs.map((config) => chooseVerifier(config, '.').version);
    expect(new Set(versions).size).toBe(configs.length);
    expect(configs.map((config) => chooseVerifier(config, '.').version)).toEqual(versions);
  });

  it('names the known kinds for an unknown one, and an unknown option', () => {
    expect(() => chooseVerifier({ kind: 'numerical' }, '.')).toThrow(/numeric.*exact.*function-calls.*command/s);
    expect(() => chooseVerifier({ kind: 'numeric', tolerance: 1 }, '.')).toThrow(/tolerance/);
    expect(() => chooseVerifier({ kind: 'command', command: [] }, '.')).toThrow(/command/);
  });
});

const BFCL = '../shared/data/bfcl/multiple.jsonl';

describe.skipIf(!existsSync(BFCL))(`function calls of real data (needs ${BFCL})`, () => {
  it('gives nothing to an agent that is silent, that never acts or that always makes one and the same call', async () => {
    const verifier = functionCallVerifier();
    const golds = readFileSync(BFCL, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { answer: Task['answer'] }).answer);
    const sameCall = '[{"triangle_properties.get": {"side1": 5, "side2": 4, "side3": 3}}]';
    for (const [answer, most] of [
      [null, 0],
      ['[]', 0],
      [sameCall, 1],
    ] as const) {
      const scores = await Promise.all(golds.map((gold) => scoreOf(verifier, gold, answer)));
      expect(scores.filter((score) => score === 1).length).toBeLessThanOrEqual(most);
      expect(scores).not.toContain('unscored');
    }
  });
});
