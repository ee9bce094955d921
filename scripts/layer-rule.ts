import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** Each layer: folder name → what it is for. Lowest layer first. */
export type Layers = readonly Readonly<Record<string, string>>[];

export interface SourceFile {
  /** Path below src/, `/`-separated. */
  path: string;
  /** Paths below src/ of the project files it imports, types included. */
  imports: readonly string[];
  text: string;
}

export function readLayers(projectFolder: string): Layers {
  return (JSON.parse(readFileSync(join(projectFolder, 'layers.json'), 'utf8')) as { layers: Layers }).layers;
}

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(\s*|^\s*import\s+)(['"])(\.{1,2}\/[^'"]+)\1/gm;

/** Relative imports of a TypeScript text: static, dynamic, for side effects, and re-exports. Read by pattern: TypeScript 7 has no parser API. */
export function importsOf(text: string): string[] {
  return [...text.matchAll(IMPORT)].map((match) => match[2] as string);
}

/** All TypeScript files below src/, in path order. */
export function readSourceFiles(projectFolder: string): SourceFile[] {
  const sourceFolder = join(projectFolder, 'src');
  return readdirSync(sourceFolder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map((path) => {
      const text = readFileSync(join(sourceFolder, path), 'utf8');
      const imports = importsOf(text)
        .map((target) => relative(sourceFolder, resolve(sourceFolder, dirname(path), target)))
        .filter((target) => !target.startsWith('..'));
      return { path: path.split(sep).join('/'), imports: imports.map((target) => target.split(sep).join('/')), text };
    });
}

function folderOf(path: string): string | null {
  const slash = path.indexOf('/');
  return slash === -1 ? null : path.slice(0, slash);
}

/**
 * One line per import that does not point to a lower layer or the same folder, and per folder that layers.json does not name. Files
 * directly in src/ (the public entry points) may import anything; nothing may import them.
 */
export function layerViolations(layers: Layers, files: readonly SourceFile[]): string[] {
  const levels = new Map(
    layers.flatMap((layer, level) => Object.keys(layer).map((folder) => [folder, level] as const)),
  );
  const violations: string[] = [];
  for (const { path, imports } of files) {
    const folder = folderOf(path);
    if (folder === null) continue;
    const level = levels.get(folder);
    if (level === undefined) {
      violations.push(`src/${path}: the folder ${folder} is not in layers.json`);
      continue;
    }
    for (const target of imports) {
      const targetFolder = folderOf(target);
      if (targetFolder === folder) continue;
      const targetLevel = targetFolder === null ? Number.POSITIVE_INFINITY : levels.get(targetFolder);
      if (targetLevel === undefined) violations.push(`src/${path} imports ${target}: its folder is not in layers.json`);
      else if (targetLevel > level) violations.push(`src/${path} imports up: ${target}`);
      else if (targetLevel === level) violations.push(`src/${path} imports sideways: ${target}`);
    }
  }
  return violations;
}

/** One line per `export *` anywhere in src/. */
export function starExports(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ text }) => /^\s*export\s+\*/m.test(text))
    .map(({ path }) => `src/${path}: export * (export by name)`);
}

/** The table of ARCHITECTURE.md, Markdown. */
export function layerTable(layers: Layers): string {
  const rows = layers.flatMap((layer, level) =>
    Object.entries(layer).map(([folder, duty]) => `| ${level} | \`${folder}/\` | ${duty} |`),
  );
  return ['| layer | folder | duty |', '|---|---|---|', ...rows].join('\n');
}
