import { isMap, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { CoHarnessError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { componentOfPath } from './component-of-path.ts';
import { exampleSchema, memorySchema, retrySchema, settingsSchema, toolSchema } from './harness-schemas.ts';
import { middlewareSchema } from './middleware-kinds.ts';

/** Schema of a YAML file of φ by its place; null for text files and code. */
export function schemaOfFile(file: string): z.ZodType | null {
  if (!file.endsWith('.yaml')) return null;
  switch (componentOfPath(file)?.kind) {
    case 'settings':
      return settingsSchema;
    case 'example':
      return exampleSchema;
    case 'tool':
      return file.endsWith('/tool.yaml') ? toolSchema : null;
    case 'middleware':
      return middlewareSchema;
    case 'memory':
      return memorySchema;
    case 'retry':
      return retrySchema;
    default:
      return null;
  }
}

/** YAML text (1.2) → value. An empty file is an empty mapping. Throws CoHarnessError `invalid-harness` with file and line. */
export function readYaml(file: string, text: string): unknown {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const problem = document.errors[0];
  if (problem !== undefined) {
    const line = lines.linePos(problem.pos[0]).line;
    throw new CoHarnessError('invalid-harness', `${file}:${line} is not valid YAML: ${problem.message}`, {
      details: { file, line },
      cause: problem,
    });
  }
  if (document.contents === null) return {};
  if (!isMap(document.contents)) {
    throw new CoHarnessError('invalid-harness', `${file} must be a YAML mapping (name: value lines).`, {
      details: { file },
    });
  }
  try {
    return document.toJS();
  } catch (cause) {
    throw new CoHarnessError('invalid-harness', `${file} cannot be read: ${(cause as Error).message}`, {
      details: { file },
      cause,
    });
  }
}

/**
 * YAML text of one file of φ → value with defaults. Throws CoHarnessError `invalid-harness` that names the file, each bad field, what was
 * expected, and for an unknown field the nearest known one.
 */
export function parseHarnessFile<T extends z.ZodType>(schema: T, file: string, text: string): z.output<T> {
  const checked = schema.safeParse(readYaml(file, text));
  if (checked.success) return checked.data;
  const lines = checked.error.issues.flatMap((issue) => describeIssue(schema, issue));
  throw new CoHarnessError('invalid-harness', `${file} is not a valid harness file:\n${lines.join('\n')}`, {
    details: { file, fields: checked.error.issues.map((issue) => issue.path.join('.')) },
  });
}

function describeIssue(schema: z.ZodType, issue: z.core.$ZodIssue): string[] {
  const place = issue.path.map(String);
  if (issue.code !== 'unrecognized_keys') return [`  ${place.join('.') || '(the whole file)'}: ${issue.message}`];
  const known = knownFields(schema, place);
  return issue.keys.map((key) => {
    const near = nearest(key, known);
    const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
    return `  ${[...place, key].join('.')}: unknown field.${hint} Known here: ${known.join(', ')}`;
  });
}

/** The parts of a zod definition that this file walks through. */
interface WalkedSchema {
  def: { type: string; innerType?: WalkedSchema; in?: WalkedSchema; element?: WalkedSchema; options?: WalkedSchema[] };
  shape?: Record<string, WalkedSchema>;
}

function knownFields(schema: unknown, place: readonly string[]): string[] {
  let current = [schema as WalkedSchema];
  for (const step of place) current = current.flatMap(alternatives).flatMap((option) => memberOf(option, step));
  return [...new Set(current.flatMap(alternatives).flatMap((option) => Object.keys(option.shape ?? {})))];
}

function memberOf(schema: WalkedSchema, step: string): WalkedSchema[] {
  const member = schema.def.type === 'array' ? schema.def.element : schema.shape?.[step];
  return member === undefined ? [] : [member];
}

function alternatives(schema: WalkedSchema): WalkedSchema[] {
  const inner = schema.def.innerType ?? schema.def.in;
  if (inner !== undefined) return alternatives(inner);
  if (schema.def.options !== undefined && schema.def.type === 'union') return schema.def.options.flatMap(alternatives);
  return [schema];
}
