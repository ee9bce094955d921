import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_MODEL_SOURCE } from '../model/model-source.ts';
import { projectFolder } from './project-folder.ts';
import { setUp } from './set-up.ts';

afterEach(() => vi.unstubAllEnvs());

describe('setUp', () => {
  it('stops at the first step that fails and says why', async () => {
    vi.stubEnv('CO_HARNESS_PYTHON', '/nowhere/python');
    const report = await setUp({ log: () => {} });
    expect(report).toMatchObject({ schema: 'co-harness/setup@1', ok: false });
    expect(report.steps.map(({ name, status }) => [name, status])).toEqual([
      ['packages', 'ready'],
      ['python', 'failed'],
    ]);
    expect(report.steps[1]?.detail).toContain('CO_HARNESS_PYTHON is /nowhere/python');
  });

  it('fetches the weights that npm start runs with', () => {
    const config = readFileSync(join(projectFolder, 'examples/word-problems/co-harness.config.ts'), 'utf8');
    expect(config).toContain(`source: '${DEFAULT_MODEL_SOURCE}'`);
  });
});
