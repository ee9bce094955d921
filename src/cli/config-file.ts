import { existsSync, statSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse as parseYaml } from 'yaml';
import type { z } from 'zod';
import { CoHarnessError, errorMessage } from '../base/errors.ts';
import { readTextFile } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import { type RunConfig, runConfigSchema } from '../evolution/run-config.ts';

const NAMES = ['co-harness.config.ts', 'co-harness.config.yaml', 'co-harness.config.yml'];

/** A config file, or the one in a folder. Throws CoHarnessError `no-config` that lists the names looked for. */
export function findConfigFile(path: string): string {
  const full = resolve(path);
  if (existsSync(full) && statSync(full).isFile()) {
    if (extname(full) !== '.jsonl') return full;
    throw new CoHarnessError(
      'no-config',
      `${path} is no config; it looks like a file of tasks. Name the folder or file of a config and give the tasks beside it: npx co-harness run FOLDER --set tasks.path=${path}`,
      { details: { path } },
    );
  }
  const found = NAMES.map((name) => join(full, name)).find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new CoHarnessError(
    'no-config',
    `There is no config at ${path}. Expected one of ${NAMES.join(', ')}; start one with: npx co-harness init`,
    {
      details: { path },
    },
  );
}

/**
 * Config with overrides applied. `settings` are `a.b=value` with the value read as YAML, a path from the current folder or the config's; `overrides` win over them. Throws CoHarnessError
 * `invalid-config` naming every bad field; an unknown key comes with the nearest known one.
 */
export async function loadConfig(
  file: string,
  settings: readonly string[],
  overrides: Record<string, unknown> = {},
): Promise<RunConfig> {
  const value = structuredCloneWithFunctions(await readConfig(file));
  for (const setting of settings) applySetting(value, setting);
  for (const [path, override] of Object.entries(overrides)) setPath(value, path.split('.'), override);
  const checked = runConfigSchema.safeParse(value);
  if (checked.success) return checked.data;
  const lines = checked.error.issues.map((issue) => `  ${describeIssue(issue)}`);
  throw new CoHarnessError(
    'invalid-config',
    `${file} (with --set) does not have the expected form:\n${lines.join('\n')}`,
    { details: { file } },
  );
}

async function readConfig(file: string): Promise<unknown> {
  try {
    if (!file.endsWith('.ts')) return parseYaml(await readTextFile(file));
    const loaded = (await import(pathToFileURL(file).href)) as { default?: unknown };
    return loaded.default;
  } catch (cause) {
    throw new CoHarnessError(
      'invalid-config',
      `Cannot read ${file}: ${errorMessage(cause)}. Correct the file and run the same command again.`,
      {
        details: { file },
        cause,
      },
    );
  }
}

/** Plain copy that keeps functions, so that overrides never change a module's own object. */
function structuredCloneWithFunctions(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return {};
  const copy = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(copy);
    if (typeof item !== 'object' || item === null) return item;
    return Object.fromEntries(Object.entries(item).map(([key, member]) => [key, copy(member)]));
  };
  return copy(value) as Record<string, unknown>;
}

function applySetting(value: Record<string, unknown>, setting: string): void {
  const separator = setting.indexOf('=');
  if (separator < 1) {
    throw new CoHarnessError('invalid-setting', `--set needs the form a.b=value, not "${setting}".`, {
      details: { setting },
    });
  }
  const key = setting.slice(0, separator);
  const leaf: unknown = parseYaml(setting.slice(separator + 1));
  setPath(value, key.split('.'), PATH_KEYS.includes(key) ? fromCurrentFolder(leaf) : leaf);
}

/** Keys whose value is a path. */
const PATH_KEYS = ['tasks.path', 'tasks.files.train', 'tasks.files.gate', 'tasks.files.test', 'harness'];

/** What is typed on a command line is meant from the current folder; what is not there may still lie beside the config. */
function fromCurrentFolder(path: unknown): unknown {
  return typeof path === 'string' && existsSync(path) ? resolve(path) : path;
}

function setPath(value: Record<string, unknown>, path: readonly string[], leaf: unknown): void {
  let place = value;
  for (const key of path.slice(0, -1)) {
    if (typeof place[key] !== 'object' || place[key] === null) place[key] = {};
    place = place[key] as Record<string, unknown>;
  }
  place[path.at(-1) as string] = leaf;
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const place = issue.path.map(String).join('.');
  if (issue.code !== 'unrecognized_keys') return `${place || '(the whole config)'}: ${issue.message}`;
  return issue.keys
    .map((key) => {
      const suggestion = nearest(key, knownKeys(issue.path));
      const full = place === '' ? key : `${place}.${key}`;
      return `${full}: unknown key${suggestion === undefined ? '' : `, did you mean "${suggestion}"?`} (known: ${knownKeys(issue.path).join(', ')})`;
    })
    .join('\n  ');
}

/** Keys that the schema has at a path. */
function knownKeys(path: readonly PropertyKey[]): string[] {
  let schema: unknown = runConfigSchema;
  for (const key of path) schema = shapeOf(schema)[String(key)];
  return Object.keys(shapeOf(schema));
}

function shapeOf(schema: unknown): Record<string, unknown> {
  let current = schema as { shape?: Record<string, unknown>; def?: { innerType?: unknown } } | undefined;
  while (current !== undefined && current.shape === undefined) current = current.def?.innerType as typeof current;
  return current?.shape ?? {};
}
