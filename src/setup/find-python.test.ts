import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPython } from './find-python.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'co-harness-find-python-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program that behaves like an interpreter as far as the probe looks. */
function program(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

describe('findPython', () => {
  it('passes over a shim that does not run, one that is too old and one without venv', async () => {
    const candidates = [
      join(folder, 'absent'),
      program('shim', 'echo "python3.13: command not found" >&2; exit 127'),
      program('old', "echo '/usr/bin/python3.8|3.8.10|'"),
      program('bare', "echo '/usr/bin/python3|3.11.2|no module ensurepip'"),
      program('good', "echo '/opt/python3.12|3.12.1|'"),
    ];
    expect(await findPython(candidates)).toEqual({ executable: '/opt/python3.12', version: '3.12.1' });
  });

  it('says what it found and what to install when none will do', async () => {
    const candidates = [
      program('old', "echo '/usr/bin/python3.8|3.8.10|'"),
      program('bare', "echo '/x|3.11.2|no module ensurepip'"),
    ];
    await expect(findPython(candidates)).rejects.toThrow(
      /is 3\.8\.10; .*\(3\.11\.2\) has no module ensurepip.*apt install/s,
    );
    await expect(findPython([])).rejects.toMatchObject({ code: 'python-missing' });
  });

  it('finds the interpreter of this machine', async () => {
    expect((await findPython()).version).toMatch(/^3\.(1[0-9])\.\d+/);
  });
});
