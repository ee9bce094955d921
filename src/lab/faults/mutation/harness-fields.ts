import { parse } from 'yaml';
import { pointerStep } from '../../../base/json-pointer.ts';
import type { Harness } from '../../../harness/harness.ts';
import type { FieldClass } from '../fault-kind.ts';

/** A field of φ that an operator can change: a file, one line of it, a template field in it, or a value at a pointer. */
export interface HarnessField {
  file: string;
  /** JSON pointer for values in YAML; null for texts. */
  pointer: string | null;
  /** Index of the line for line classes, else null. */
  line: number | null;
  value: unknown;
}

/** Classes whose fields are whole files. */
const FILES: Partial<Record<FieldClass, RegExp>> = {
  'prompt-text': /^prompts\//,
  skill: /^skills\/[^/]+\/SKILL\.md$/,
  'skill-text': /^skills\/[^/]+\/SKILL\.md$/,
  example: /^examples\//,
  tool: /^tools\/[^/]+\/tool\.yaml$/,
  facts: /^memory\/[^/]+\.md$/,
  middleware: /^middleware\//,
};

/** Classes whose fields are the lines of files. */
const LINES: Partial<Record<FieldClass, RegExp>> = {
  'prompt-line': /^prompts\//,
  'skill-line': /^skills\/[^/]+\/SKILL\.md$/,
  'fact-line': /^memory\/[^/]+\.md$/,
};

/** Classes whose fields are values in a tool's YAML, by their pointers. */
const TOOL_VALUES: Partial<Record<FieldClass, RegExp>> = {
  'tool-name': /^\/name$/,
  'tool-description': /^\/description$/,
  argument: /^\/parameters\/properties\/[^/]+$/,
  'argument-type': /^\/parameters\/properties\/[^/]+\/type$/,
  'argument-description': /^\/parameters\/properties\/[^/]+\/description$/,
  'argument-required': /^\/parameters\/required$/,
  'argument-enum': /^\/parameters\/properties\/[^/]+\/enum$/,
  'tool-backend': /^\/backend$/,
  'tool-output-limit': /^\/limits\/outputCharacters$/,
};

/** All fields of a class in φ, in order of files. Nothing here knows what a harness is for. */
export function fieldsOf(harness: Harness, field: FieldClass): HarnessField[] {
  const [files, lines, values] = [FILES[field], LINES[field], TOOL_VALUES[field]];
  if (files !== undefined) return textFiles(harness, files);
  if (lines !== undefined) return textFiles(harness, lines).flatMap(linesOf);
  if (values !== undefined) return yamlValues(harness, /^tools\/[^/]+\/tool\.yaml$/, values);
  switch (field) {
    case 'example-value':
      return yamlValues(harness, /^examples\//, /\/(result|text)$/);
    case 'prompt-field':
      return textFiles(harness, /^prompts\//)
        .flatMap(linesOf)
        .filter(({ value }) => /\{\{\s*[\w.-]+\s*\}\}/.test(String(value)));
    case 'dialect':
      return [setting('/protocol/dialect', harness.settings.protocol.dialect)];
    case 'dialect-mark':
      return ['open', 'close'].map((name) =>
        setting(`/protocol/dialect/${name}`, harness.settings.protocol.dialect[name as 'open' | 'close']),
      );
    case 'turns':
      return [setting('/limits/turns', harness.settings.limits.turns)];
    case 'tokens':
      return [setting('/limits/tokensPerTurn', harness.settings.limits.tokensPerTurn)];
    case 'stop':
      return [setting('/protocol/stop', harness.settings.protocol.stop)];
    case 'answer-source':
      return [setting('/answer/from', harness.settings.answer.from)];
    case 'final-turn':
      return [setting('/finalTurn', harness.settings.finalTurn)];
    case 'retry-count':
      return (['parseErrors', 'toolErrors'] as const).map((name) => ({
        file: 'retry.yaml',
        pointer: `/${name}`,
        line: null,
        value: harness.retry[name],
      }));
    case 'memory-limit':
      return memoryValue('/historyTokens', harness.memory.historyTokens);
    case 'stale-limit':
      return memoryValue('/staleAfterTurns', harness.memory.staleAfterTurns);
    case 'fact-limit':
      return memoryValue('/facts/tokens', harness.facts.length === 0 ? null : harness.memory.facts.tokens);
    case 'middleware-option':
      return yamlValues(harness, /^middleware\/[^/]+\.yaml$/, /^\/options\/[^/]+$/);
    default:
      return [];
  }
}

function setting(pointer: string, value: unknown): HarnessField {
  return { file: 'harness.yaml', pointer, line: null, value };
}

function memoryValue(pointer: string, value: number | null): HarnessField[] {
  return value === null ? [] : [{ file: 'memory.yaml', pointer, line: null, value }];
}

function textFiles({ files }: Harness, pattern: RegExp): HarnessField[] {
  return [...files].flatMap(([file, value]) =>
    pattern.test(file) ? [{ file, pointer: null, line: null, value }] : [],
  );
}

function linesOf({ file, value }: HarnessField): HarnessField[] {
  const lines = String(value).split('\n');
  return lines.flatMap((text, line) => (text.trim() === '' ? [] : [{ file, pointer: null, line, value: text }]));
}

function yamlValues(harness: Harness, files: RegExp, pattern: RegExp): HarnessField[] {
  return textFiles(harness, files).flatMap(({ file, value }) =>
    pointersOf(parse(String(value)), '').flatMap(([pointer, inner]) =>
      pattern.test(pointer) ? [{ file, pointer, line: null, value: inner }] : [],
    ),
  );
}

function pointersOf(value: unknown, pointer: string): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const place = `${pointer}${pointerStep(name)}`;
    return [[place, inner] as [string, unknown], ...pointersOf(inner, place)];
  });
}
