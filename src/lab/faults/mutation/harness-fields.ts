import { parse } from 'yaml';
import { pointerStep } from '../../../critic/json-pointer.ts';
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

/** All fields of a class in φ, in order of files. Nothing here knows what a harness is for. */
export function fieldsOf(harness: Harness, field: FieldClass): HarnessField[] {
  switch (field) {
    case 'prompt-text':
      return textFiles(harness, /^prompts\//);
    case 'skill':
    case 'skill-text':
      return textFiles(harness, /^skills\/[^/]+\/SKILL\.md$/);
    case 'example':
      return textFiles(harness, /^examples\//);
    case 'tool':
      return textFiles(harness, /^tools\/[^/]+\/tool\.yaml$/);
    case 'prompt-line':
      return textFiles(harness, /^prompts\//).flatMap(linesOf);
    case 'skill-line':
      return textFiles(harness, /^skills\/[^/]+\/SKILL\.md$/).flatMap(linesOf);
    case 'prompt-field':
      return textFiles(harness, /^prompts\//)
        .flatMap(linesOf)
        .filter(({ value }) => /\{\{\s*[\w.-]+\s*\}\}/.test(String(value)));
    case 'tool-name':
      return toolValues(harness, /^\/name$/);
    case 'tool-description':
      return toolValues(harness, /^\/description$/);
    case 'argument':
      return toolValues(harness, /^\/parameters\/properties\/[^/]+$/);
    case 'argument-type':
      return toolValues(harness, /^\/parameters\/properties\/[^/]+\/type$/);
    case 'argument-enum':
      return toolValues(harness, /^\/parameters\/properties\/[^/]+\/enum$/);
    case 'tool-backend':
      return toolValues(harness, /^\/backend$/);
    case 'tool-output-limit':
      return toolValues(harness, /^\/limits\/outputCharacters$/);
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
    case 'facts':
      return textFiles(harness, /^memory\/[^/]+\.md$/);
    case 'fact-line':
      return textFiles(harness, /^memory\/[^/]+\.md$/).flatMap(linesOf);
    case 'middleware':
      return textFiles(harness, /^middleware\//);
    case 'middleware-option':
      return yamlValues(harness, /^middleware\/[^/]+\.yaml$/, /^\/options\/[^/]+$/);
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

function toolValues(harness: Harness, pattern: RegExp): HarnessField[] {
  return yamlValues(harness, /^tools\/[^/]+\/tool\.yaml$/, pattern);
}

function yamlValues(harness: Harness, files: RegExp, pattern: RegExp): HarnessField[] {
  return textFiles(harness, files).flatMap(({ file, value }) =>
    pointersOf(parse(String(value)), '').flatMap(([pointer, inner]) =>
      pattern.test(pointer) ? [{ file, pointer, line: null, value: inner }] : [],
    ),
  );
}

function pointersOf(value: unknown, pointer: string): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const place = `${pointer}${pointerStep(name)}`;
    return [[place, inner] as [string, unknown], ...pointersOf(inner, place)];
  });
}
