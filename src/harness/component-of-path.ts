import { CoHarnessError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { ComponentKind } from './harness.ts';

/** The component that a file of φ belongs to. `name` is unique within its kind. */
export interface ComponentPlace {
  kind: ComponentKind;
  name: string;
}

/** Prompts that the loop knows; each has a default, so that every file is optional. */
const PROMPT_NAMES = [
  'system',
  'task',
  'final-turn',
  'tool-result',
  'error-feedback',
  'tool-offer',
  'summary',
] as const;
export type PromptName = (typeof PROMPT_NAMES)[number];

/** Every place a file of φ may stand, for people. */
const HARNESS_PLACES = [
  'harness.yaml',
  `prompts/{${PROMPT_NAMES.join(',')}}.md`,
  'examples/NAME.yaml',
  'tools/NAME/tool.yaml (and code beside it)',
  'skills/NAME/SKILL.md (and files beside it)',
  'middleware/NN-NAME.yaml or .js',
  'memory.yaml',
  'memory/NAME.md',
  'retry.yaml',
] as const;

const NAMED_FILES = ['harness.yaml', 'memory.yaml', 'retry.yaml', ...PROMPT_NAMES.map((name) => `prompts/${name}.md`)];

const NAME = '[A-Za-z0-9][A-Za-z0-9._-]*';
const PLACES: readonly { kind: ComponentKind; pattern: RegExp }[] = [
  { kind: 'settings', pattern: /^(harness)\.yaml$/ },
  { kind: 'memory', pattern: /^(memory)\.yaml$/ },
  { kind: 'memory', pattern: new RegExp(`^memory/(${NAME})\\.md$`) },
  { kind: 'retry', pattern: /^(retry)\.yaml$/ },
  { kind: 'prompt', pattern: new RegExp(`^prompts/(${PROMPT_NAMES.join('|')})\\.md$`) },
  { kind: 'example', pattern: new RegExp(`^examples/(${NAME})\\.yaml$`) },
  { kind: 'tool', pattern: new RegExp(`^tools/(${NAME})/(?:${NAME}/)*${NAME}$`) },
  { kind: 'skill', pattern: new RegExp(`^skills/(${NAME})/(?:${NAME}/)*${NAME}$`) },
  { kind: 'middleware', pattern: /^middleware\/(\d{2}-[A-Za-z0-9][A-Za-z0-9_-]*)\.(?:yaml|js)$/ },
];

/** Splits a patch path into its file and its JSON pointer; `pointer` is null for whole-file paths. */
export function splitPatchPath(path: string): { file: string; pointer: string | null } {
  const hash = path.indexOf('#');
  return hash === -1 ? { file: path, pointer: null } : { file: path.slice(0, hash), pointer: path.slice(hash + 1) };
}

/**
 * Component of a file path or patch path (`file#/pointer`); null when no file of φ may stand there. `..`, absolute paths, back slashes and
 * hidden files never match.
 */
export function componentOfPath(path: string): ComponentPlace | null {
  const { file } = splitPatchPath(path);
  for (const { kind, pattern } of PLACES) {
    const name = pattern.exec(file)?.[1];
    if (name !== undefined) return { kind, name };
  }
  return null;
}

/** The component of a path. Throws CoHarnessError `code` that lists the places when there is none. */
export function requireComponent(path: string, code: 'invalid-harness' | 'patch-forbidden'): ComponentPlace {
  const place = componentOfPath(path);
  if (place !== null) return place;
  const near = nearest(path, NAMED_FILES);
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  throw new CoHarnessError(
    code,
    `${path} is not a place of a harness file.${hint} Known places:\n  ${HARNESS_PLACES.join('\n  ')}\nMove or remove it.`,
    { details: { path } },
  );
}
