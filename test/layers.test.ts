import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { architectureWithTable } from '../scripts/architecture-table.ts';
import {
  importsOf,
  layerTable,
  layerViolations,
  readLayers,
  readSourceFiles,
  starExports,
} from '../scripts/layer-rule.ts';
import { projectFolder } from '../src/setup/project-folder.ts';

const layers = readLayers(projectFolder);
const files = readSourceFiles(projectFolder);

describe('the layer rule', () => {
  it('sees the files of the project and their imports', () => {
    expect(files.length).toBeGreaterThan(20);
    expect(files.flatMap(({ imports }) => imports).length).toBeGreaterThan(20);
  });

  it('finds that every import of src/ points down or stays in its folder', () => {
    expect(layerViolations(layers, files)).toEqual([]);
  });

  it('finds no export * in src/', () => {
    expect(starExports(files)).toEqual([]);
  });

  it('reports an import that points up, one that points sideways, one of an entry point and an unknown folder', () => {
    const file = (path: string, ...imports: string[]) => ({ path, imports, text: '' });
    const table = [{ base: '' }, { model: '', statistics: '' }, { cli: '' }];
    expect(layerViolations(table, [file('base/a.ts', 'cli/b.ts', 'base/c.ts')])).toEqual([
      'src/base/a.ts imports up: cli/b.ts',
    ]);
    expect(layerViolations(table, [file('model/a.ts', 'statistics/b.ts', 'base/c.ts')])).toEqual([
      'src/model/a.ts imports sideways: statistics/b.ts',
    ]);
    expect(layerViolations(table, [file('cli/a.ts', 'index.ts')])).toEqual(['src/cli/a.ts imports up: index.ts']);
    expect(layerViolations(table, [file('utils/a.ts')])).toEqual([
      'src/utils/a.ts: the folder utils is not in layers.json',
    ]);
    expect(layerViolations(table, [file('index.ts', 'cli/a.ts')])).toEqual([]);
  });

  it('reads static, type, dynamic and side-effect imports and re-exports', () => {
    const text = [
      "import { a } from './a.ts';",
      "import type { B } from '../b.ts';",
      "export { c } from './c.ts';",
      "const d = await import('../x/d.ts');",
      "import './e.ts';",
      "import {\n  f,\n} from './f.ts';",
      "import { z } from 'zod';",
    ].join('\n');
    expect(importsOf(text)).toEqual(['./a.ts', '../b.ts', './c.ts', '../x/d.ts', './e.ts', './f.ts']);
  });

  it('is what the table in ARCHITECTURE.md shows', () => {
    const text = readFileSync(join(projectFolder, 'ARCHITECTURE.md'), 'utf8');
    expect(text).toBe(architectureWithTable(text, layerTable(layers)));
  });
});

describe('package-lock.json', () => {
  const lock = JSON.parse(readFileSync(join(projectFolder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { resolved?: string; optionalDependencies?: Record<string, string> }>;
  };

  it('names no registry host', () => {
    expect(Object.values(lock.packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
  });

  it('holds every optional platform package, without which npm ci refuses it (scripts/complete-lockfile.mjs adds them)', () => {
    const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !lock.packages[`node_modules/${name}`] && !lock.packages[`${path}/node_modules/${name}`],
      ),
    );
    expect(missing).toEqual([]);
  });
});
