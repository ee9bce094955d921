import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ensurePython, pythonEnvironment, trainerPins } from './python-environment.ts';

/** A wheel of one empty module: pip installs it without a network in the time of one start. */
function writeWheel(folder: string, name: string, version: string): void {
  const script = `
import sys, zipfile
folder, name, version = sys.argv[1:]
info = '%s-%s.dist-info/' % (name, version)
with zipfile.ZipFile('%s/%s-%s-py3-none-any.whl' % (folder, name, version), 'w') as archive:
    archive.writestr(name + '.py', '')
    archive.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: %s\\nVersion: %s\\n' % (name, version))
    archive.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    archive.writestr(info + 'RECORD', '')
`;
  execFileSync('python3', ['-c', script, folder, name, version]);
}

let folder: string;
let lines: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'co-harness-python-'));
  lines = [];
  vi.stubEnv('CO_HARNESS_PYTHON', '');
  vi.stubEnv('PIP_NO_INDEX', '1');
  vi.stubEnv('PIP_FIND_LINKS', folder);
  vi.stubEnv('UV_OFFLINE', '1');
  vi.stubEnv('UV_FIND_LINKS', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const options = (pins: string[]) => ({ cache: join(folder, 'cache'), pins, log: (line: string) => lines.push(line) });

describe('trainerPins', () => {
  it('reads the pins of trainer/pyproject.toml, torch and gguf among them', () => {
    expect(trainerPins().map((pin) => pin.split('=')[0])).toEqual(expect.arrayContaining(['torch', 'gguf']));
  });

  it('refuses a file without dependencies', () => {
    expect(() => trainerPins('[project]\nname = "x"\n')).toThrow(/has no \[project\] dependencies/);
  });
});

describe('pythonEnvironment', () => {
  it('is another folder for other pins, and never ready before it is installed', () => {
    const cache = join(folder, 'cache');
    const [one, two] = [pythonEnvironment({ cache, pins: ['a==1'] }), pythonEnvironment({ cache, pins: ['a==2'] })];
    expect(one.folder).not.toBe(two.folder);
    expect(one.ready).toBe(false);
    expect(existsSync(cache)).toBe(false);
  });

  it('is the interpreter that CO_HARNESS_PYTHON names', () => {
    vi.stubEnv('CO_HARNESS_PYTHON', '/opt/python');
    expect(pythonEnvironment()).toMatchObject({ python: '/opt/python', ready: true, folder: null });
  });
});

describe('ensurePython', () => {
  it('installs once, redoes what was interrupted, and lets a second process wait', { timeout: 240_000 }, async () => {
    writeWheel(folder, 'tinymodule', '1.0');
    const choice = options(['tinymodule==1.0']);
    const target = pythonEnvironment(choice);
    // As an interrupted install leaves it: a folder without the marker.
    mkdirSync(join(target.folder as string, 'bin'), { recursive: true });
    writeFileSync(target.python, 'half an interpreter');

    const [first, second] = await Promise.all([ensurePython(choice), ensurePython(choice)]);

    expect(first).toEqual(second);
    expect(first.ready).toBe(true);
    execFileSync(first.python, ['-c', 'import tinymodule']);
    expect(lines.filter((line) => line.startsWith('Installing the Python environment'))).toHaveLength(1);
    expect(lines.some((line) => line.includes('waiting for it'))).toBe(true);
    lines.length = 0;
    await ensurePython(choice);
    expect(lines).toEqual([]);
  });

  it('leaves nothing behind when the packages cannot be had, and passes on what pip says', {
    timeout: 240_000,
  }, async () => {
    await expect(ensurePython(options(['no-such-package==1.0']))).rejects.toMatchObject({
      code: 'python-install-failed',
      message: expect.stringContaining('no-such-package==1.0'),
    });
    expect(readdirSync(join(folder, 'cache'))).toEqual([]);
  });

  it('leaves nothing behind when it is stopped', { timeout: 240_000 }, async () => {
    writeWheel(folder, 'tinymodule', '1.0');
    const stop = new AbortController();
    const installing = ensurePython({ ...options(['tinymodule==1.0']), signal: stop.signal });
    setTimeout(() => stop.abort(), 300);
    await expect(installing).rejects.toMatchObject({ code: 'aborted' });
    expect(readdirSync(join(folder, 'cache'))).toEqual([]);
  });

  it('says that CO_HARNESS_PYTHON does not run', async () => {
    vi.stubEnv('CO_HARNESS_PYTHON', join(folder, 'nothing'));
    await expect(ensurePython({ log: () => {} })).rejects.toMatchObject({ code: 'python-missing' });
  });
});
