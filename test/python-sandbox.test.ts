import { existsSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { AbortedError } from '../src/base/errors.ts';
import type { HarnessTool } from '../src/harness/harness.ts';
import { harnessFromFiles } from '../src/harness/parse-harness.ts';
import { dryRun } from '../src/patch/dry-run/dry-run.ts';
import { openEpisodeTools } from '../src/rollout/tools/episode-tools.ts';
import { HOSTILE_PYTHON } from '../src/sandbox/hostile-python.fixture.ts';
import { isForeseen } from '../src/sandbox/hostile-try.fixture.ts';
import { javaScriptSandbox } from '../src/sandbox/javascript-sandbox.ts';
import { pythonSandbox } from '../src/sandbox/python-sandbox.ts';
import type { SandboxLimits } from '../src/sandbox/sandbox.ts';
import { installedPythonSandbox } from '../src/setup/python-sandbox-packages.ts';

const installation = await installedPythonSandbox();
const isMissing = installation === null;
if (isMissing) console.warn('Skipped: the Python sandbox is not installed (co-harness setup --python-sandbox).');

const limits: SandboxLimits = { wallMs: 60_000, memoryBytes: 128 << 20, outputCharacters: 2_000 };
const hostile: SandboxLimits = { ...limits, wallMs: 2_000 };
const sandbox = pythonSandbox({
  installation: async () => {
    if (installation === null) throw new Error('not installed');
    return installation;
  },
  most: 3,
  memoryBytes: 128 << 20,
});
afterAll(() => sandbox.close());

describe.skipIf(isMissing)('the Python sandbox', { timeout: 240_000 }, () => {
  it('gives the value of the last expression and what was printed', async () => {
    expect(await sandbox.run('print("sum", [1, 2])\n1 + 2', limits)).toEqual({
      kind: 'ok',
      value: '3',
      output: 'sum [1, 2]\n',
    });
    expect(await sandbox.run('x = 1', limits)).toEqual({ kind: 'ok', value: '', output: '' });
  });

  it('tells what was raised, and in which line', async () => {
    const run = await sandbox.run('x = 1\nprint("before")\nx / 0', limits);
    expect(run).toEqual({
      kind: 'error',
      output: 'before\n',
      problem: '  line 3 of <code>, in <module>\nZeroDivisionError: division by zero',
    });
  });

  it('keeps the state of a session, and shares none between sessions', async () => {
    const first = sandbox.openSession();
    await first.run('import math\nx = 40', limits);
    expect(await first.run('x + math.floor(2.5)', limits)).toMatchObject({ value: '42' });
    first.close();
    const second = sandbox.openSession();
    expect(await second.run('x', limits)).toMatchObject({
      kind: 'error',
      problem: expect.stringContaining('NameError'),
    });
    second.close();
  });

  it('calls the function run of a program, whose files may import each other', async () => {
    const program = {
      entry: 'tool.py',
      files: new Map([
        [
          'tool.py',
          'from lib import double\ncalls = 0\ndef run(n):\n    global calls\n    calls += 1\n    return {"double": double(n), "calls": calls}\n',
        ],
        ['lib.py', 'def double(n):\n    return 2 * n\n'],
      ]),
    };
    const session = sandbox.openSession();
    expect(await session.call(program, { n: 4 }, limits)).toMatchObject({
      kind: 'ok',
      value: '{"double": 8, "calls": 1}',
    });
    expect(await session.call(program, { n: 5 }, limits)).toMatchObject({
      kind: 'ok',
      value: '{"double": 10, "calls": 2}',
    });
    session.close();
  });

  it('gives the same random numbers in every session', async () => {
    const draws = [
      await sandbox.run('import random; random.random()', limits),
      await sandbox.run('import random; random.random()', limits),
    ];
    expect(draws[0]).toEqual(draws[1]);
  });

  it('reports an interpreter that somebody else ended as infrastructure, and goes on', async () => {
    const broken = pythonSandbox({ installation: async () => Promise.reject(new Error('no disk')), most: 1 });
    expect(await broken.run('1', limits)).toEqual({ kind: 'infrastructure', problem: 'no disk', output: '' });
    await broken.close();
  });

  it('ends the run when the caller stops', async () => {
    const controller = new AbortController();
    const running = sandbox.run('while True: pass', { ...limits, signal: controller.signal });
    setTimeout(() => controller.abort(), 500);
    await expect(running).rejects.toBeInstanceOf(AbortedError);
    expect(await sandbox.run('1', limits)).toMatchObject({ value: '1' });
  });
});

describe.skipIf(isMissing)('Python tools of φ', { timeout: 240_000 }, () => {
  const parameters = 'parameters: { type: object, properties: { code: { type: string } }, required: [code] }\n';
  const harness = harnessFromFiles(
    new Map([
      ['harness.yaml', 'name: demo\n'],
      [
        'tools/run_python/tool.yaml',
        `${parameters}backend: { kind: builtin, name: run_python }\nlimits: { wallMs: 60000 }\n`,
      ],
      ['tools/length/tool.yaml', `${parameters}backend: { kind: python, entry: main.py }\nlimits: { wallMs: 60000 }\n`],
      ['tools/length/main.py', 'def run(code):\n    return len(code)\n'],
    ]),
  );

  it('run in the sandbox: the interpreter with state for the episode, and code of the tool’s folder', async () => {
    const javaScript = javaScriptSandbox();
    const tools = openEpisodeTools(harness, { javaScript, python: sandbox });
    const [length, interpreter] = harness.tools as [HarnessTool, HarnessTool];
    const signal = new AbortController().signal;
    expect(await tools.run(length, { code: 'four' }, signal)).toEqual({ kind: 'returned', value: '4' });
    await tools.run(interpreter, { code: 'x = 6' }, signal);
    expect(await tools.run(interpreter, { code: 'print("x is", x)\nx * 7' }, signal)).toEqual({
      kind: 'returned',
      value: 'x is 6\n42',
    });
    expect(await tools.run(interpreter, { code: 'y' }, signal)).toMatchObject({
      kind: 'failed',
      errorType: 'exception',
      problem: expect.stringContaining("NameError: name 'y' is not defined"),
    });
    tools.close();
    await javaScript.close();
  });
});

describe.skipIf(isMissing)('the dry run of a diff that brings a Python tool', { timeout: 240_000 }, () => {
  const javaScript = javaScriptSandbox();
  afterAll(() => javaScript.close());
  const files = (code: string | null, wallMs = 60_000) =>
    new Map([
      ['harness.yaml', 'name: demo\n'],
      ...(code === null
        ? []
        : ([
            [
              'tools/length/tool.yaml',
              `parameters: { type: object, properties: { text: { type: string } }, required: [text] }\nbackend: { kind: python, entry: main.py }\nlimits: { wallMs: ${wallMs} }\n`,
            ],
            ['tools/length/main.py', code],
          ] as const)),
    ]);
  const objectionTo = async (code: string, wallMs?: number) => {
    const parent = harnessFromFiles(files(null));
    const child = harnessFromFiles(files(code, wallMs));
    const signal = new AbortController().signal;
    const { objection } = await dryRun({ parent, child, recorded: [], hosts: { javaScript, python: sandbox }, signal });
    return objection;
  };

  it('lets it pass where it works, and where it refuses the arguments itself', async () => {
    expect(await objectionTo('def run(text):\n    return len(text)\n')).toBeNull();
    expect(await objectionTo("def run(text):\n    raise ValueError('not a word')\n")).toBeNull();
  });

  it.each([
    ['a syntax error', 'def run(text)\n    return 1\n', /SyntaxError/],
    ['an import that is not there', 'import numpy_of_mine\ndef run(text):\n    return 1\n', /ModuleNotFoundError/],
    [
      'a file of the host',
      "def run(text):\n    return open('/etc/passwd').read()\n",
      /FileNotFoundError|PermissionError/,
    ],
    [
      'a program of the host',
      "import subprocess\ndef run(text):\n    return subprocess.run(['id'])\n",
      /OSError|PermissionError/,
    ],
    ['arguments of other names', 'def run(word):\n    return 1\n', /TypeError/],
  ])('refuses it for %s', async (_, code, reason) => {
    expect(await objectionTo(code)).toMatch(reason);
  });

  it('refuses it when it hangs', async () => {
    expect(await objectionTo('def run(text):\n    while True: pass\n', 2_000)).toMatch(/timeout/);
  });
});

describe.skipIf(isMissing)('tries to leave the Python sandbox', { timeout: 240_000 }, () => {
  it('are at least 30 and all different', () => {
    expect(new Set(HOSTILE_PYTHON.map(({ code }) => code)).size).toBeGreaterThanOrEqual(30);
  });

  // One session for all: an interpreter that a try broke is replaced by the next call, and one that it did not break must still work.
  const session = sandbox.openSession();
  afterAll(() => session.close());

  it.each(HOSTILE_PYTHON)('$goal: in vain', async (hostileTry) => {
    const run = await session.run(hostileTry.code, hostile);
    expect(isForeseen(hostileTry, run), JSON.stringify(run).slice(0, 500)).toBe(true);
    expect(JSON.stringify(run).length).toBeLessThan(4 * limits.outputCharacters);
    expect(await session.run('6 * 7', limits)).toMatchObject({ kind: 'ok', value: '42' });
  });

  it('left no file on the host', () => {
    expect(['/tmp/co-harness-escaped', '/tmp/mark', '/tmp/race'].filter((file) => existsSync(file))).toEqual([]);
  });
});
