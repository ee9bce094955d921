import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CHECK_NAMES, doctor } from './doctor.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'co-harness-doctor-'));
  vi.stubEnv('CO_HARNESS_CACHE', folder);
  vi.stubEnv('CO_HARNESS_PYTHON', '');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

describe('doctor', () => {
  it('makes every check on a machine where nothing is set up, and gives each failure its remedy', async () => {
    const seen: string[] = [];
    const report = await doctor({
      model: 'file:/nowhere/model.gguf',
      openModel: () => Promise.reject(new Error('must not be asked for')),
      onCheck: ({ name }) => seen.push(name),
    });
    const status = Object.fromEntries(report.checks.map((check) => [check.name, check.status]));

    expect(report).toMatchObject({ schema: 'co-harness/doctor@1', ok: false });
    expect(seen).toEqual([...CHECK_NAMES]);
    expect(status).toMatchObject({
      node: 'ok',
      npm: 'ok',
      python: 'failed',
      'model-file': 'failed',
      'training-smoke': 'failed',
    });
    expect(report.checks.filter((check) => check.status !== 'ok' && !check.remedy)).toEqual([]);
    expect(report.checks.find(({ name }) => name === 'model-file')?.detail).toContain('/nowhere/model.gguf');
  });
});
