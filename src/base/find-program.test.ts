import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireProgram } from './find-program.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'co-harness-program-'));
  mkdirSync(join(directory, 'bin'));
  for (const file of ['agent.sh', 'plain.sh', join('bin', 'helper')])
    writeFileSync(join(directory, file), '#!/bin/sh\n');
  chmodSync(join(directory, 'agent.sh'), 0o755);
  chmodSync(join(directory, 'plain.sh'), 0o644);
  chmodSync(join(directory, 'bin', 'helper'), 0o755);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const check = (program: string, path = '') => requireProgram(program, { directory, path, field: 'runner.command' });

describe.skipIf(process.platform === 'win32')('requireProgram', () => {
  it('takes a file of the folder by its path, and any program of PATH by its name', () => {
    expect(() => check('./agent.sh')).not.toThrow();
    expect(() => check(join(directory, 'agent.sh'))).not.toThrow();
    expect(() => check('helper', `/nowhere:${join(directory, 'bin')}`)).not.toThrow();
  });

  it('does not take a file of the folder by its bare name, as the system does not either', () => {
    expect(() => check('agent.sh')).toThrow(/runner\.command: the program "agent\.sh" is in no folder of PATH/);
  });

  it('refuses what does not exist, a folder, and a file that may not be run, each with the next step', () => {
    expect(() => check('./gone.sh')).toThrow(/gone\.sh does not exist.*counts from/);
    expect(() => check('./bin')).toThrow(/does not exist/);
    expect(() => check('./plain.sh')).toThrow(/chmod \+x/);
  });
});
