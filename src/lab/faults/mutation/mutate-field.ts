import { parse } from 'yaml';
import type { Harness } from '../../../harness/harness.ts';
import type { PatchEdit } from '../../../harness/patch-edit.ts';
import { fileEdit, present, valueEdit } from '../../../patch/harness-edits.ts';
import type { FieldClass, GenericKind, MutationOperator } from '../fault-kind.ts';
import { fieldsOf, type HarnessField } from './harness-fields.ts';

/** Counts shrink to a quarter. */
const SHRUNK = 0.25;

/**
 * Edits for every field of φ to which a kind applies, in order of files. `foreign` is another working harness, from which a text is taken where φ has no
 * second one to swap with. Deterministic; an entry may be refused by applyEdits, and then the mutation does not exist.
 */
export function mutationsOf(
  kind: GenericKind,
  harness: Harness,
  foreign: Harness,
): { path: string; edits: PatchEdit[] }[] {
  const fields = fieldsOf(harness, kind.field);
  return fields.flatMap((field, index) => {
    const sibling = fields.length > 1 ? fields[(index + 1) % fields.length] : undefined;
    const edits = mutated(kind, { harness, foreign, field, sibling });
    return edits.length === 0
      ? []
      : [{ path: field.pointer === null ? field.file : `${field.file}#${field.pointer}`, edits }];
  });
}

interface Subject {
  harness: Harness;
  foreign: Harness;
  field: HarnessField;
  sibling: HarnessField | undefined;
}

function mutated({ operator, field: type }: GenericKind, subject: Subject): PatchEdit[] {
  const { harness, field } = subject;
  if (field.line !== null) return present([lineEdit(operator, harness, field)]);
  if (type === 'example' && operator === 'swap') return swappedProblems(subject);
  if (type === 'tool' && operator === 'duplicate') return duplicatedTool(subject);
  if (field.pointer === null) return textEdits(operator, type, subject);
  if (type === 'argument') return present([argumentEdit(operator, subject)]);
  const edit = (value: unknown) => present([valueEdit(harness, field.file, field.pointer ?? '', value)]);
  if ((type === 'tool-description' || type === 'argument-description') && operator === 'swap')
    return swappedValues(subject);
  const value = changedValue(operator, type, field.value, harness);
  return value === undefined ? [] : edit(value);
}

/** Only `{{name}}` → `{{name_2}}` for rename; `contradict` leaves lines with fields alone, which would be shown twice. */
function lineEdit(operator: MutationOperator, harness: Harness, { file, line, value }: HarnessField): PatchEdit | null {
  const lines = (harness.files.get(file) ?? '').split('\n');
  const at = line ?? 0;
  const text = String(value);
  if (operator === 'rename') {
    lines[at] = text.replace(/\{\{\s*([\w.-]+)\s*\}\}/, '{{$1_2}}');
  } else if (operator === 'contradict') {
    if (text.includes('{{')) return null;
    lines.splice(at + 1, 0, `Never do this: ${text.trim()}`);
  } else if (operator === 'delete') lines.splice(at, 1);
  else if (operator === 'renumber') lines[at] = renumbered(text);
  else if (operator === 'truncate') lines[at] = truncated(text);
  else return null;
  return fileEdit(harness, file, lines.join('\n'));
}

function textEdits(operator: MutationOperator, type: FieldClass, subject: Subject): PatchEdit[] {
  const { harness, foreign, field, sibling } = subject;
  const text = String(field.value);
  const lines = text.trimEnd().split('\n');
  if (operator === 'delete') return present([fileEdit(harness, field.file, undefined)]);
  if (operator === 'empty') return present([fileEdit(harness, field.file, '')]);
  if (operator === 'shrink')
    return present([fileEdit(harness, field.file, `${lines.slice(0, Math.ceil(lines.length / 2)).join('\n')}\n`)]);
  if (operator === 'reorder') return present([fileEdit(harness, field.file, `${lines.reverse().join('\n')}\n`)]);
  if (operator !== 'swap') return [];
  const other = type === 'skill-text' ? fieldsOf(foreign, type)[0] : sibling;
  if (other === undefined) return [];
  const given = present([fileEdit(harness, field.file, String(other.value))]);
  return type === 'skill-text' ? given : [...given, ...present([fileEdit(harness, other.file, text)])];
}

function swappedProblems({ harness, field, sibling }: Subject): PatchEdit[] {
  if (sibling === undefined) return [];
  const problem = ({ value }: HarnessField) => (parse(String(value)) as { problem: string }).problem;
  return present([
    valueEdit(harness, field.file, '/problem', problem(sibling)),
    valueEdit(harness, sibling.file, '/problem', problem(field)),
  ]);
}

function swappedValues({ harness, field, sibling }: Subject): PatchEdit[] {
  if (sibling === undefined || field.pointer === null || sibling.pointer === null) return [];
  return present([
    valueEdit(harness, field.file, field.pointer, sibling.value),
    valueEdit(harness, sibling.file, sibling.pointer, field.value),
  ]);
}

function duplicatedTool({ field }: Subject): PatchEdit[] {
  const name = /^tools\/([^/]+)\//.exec(field.file)?.[1] ?? '';
  const text = String(field.value).replace(/^name: .*$/m, `name: ${name}_2`);
  return [{ path: `tools/${name}_2/tool.yaml`, value: text }];
}

interface ArgumentSchema {
  properties: Record<string, unknown>;
  required: string[];
}

function argumentEdit(operator: MutationOperator, { harness, field }: Subject): PatchEdit | null {
  const { parameters } = parse(harness.files.get(field.file) ?? '') as { parameters: ArgumentSchema };
  const name = (field.pointer ?? '').split('/').at(-1) ?? '';
  const renamed = operator === 'rename' ? `${name}_2` : null;
  if (operator !== 'rename' && operator !== 'delete') return null;
  const keep = <T>(entries: readonly T[], nameOf: (entry: T) => string, rename: (entry: T) => T): T[] =>
    entries.flatMap((entry) => (nameOf(entry) !== name ? [entry] : renamed === null ? [] : [rename(entry)]));
  const properties = keep(
    Object.entries(parameters.properties),
    ([key]) => key,
    ([, schema]): [string, unknown] => [renamed ?? '', schema],
  );
  const required = keep(
    parameters.required,
    (key) => key,
    () => renamed ?? '',
  );
  return valueEdit(harness, field.file, '/parameters', {
    ...parameters,
    properties: Object.fromEntries(properties),
    required,
  });
}

function changedValue(operator: MutationOperator, type: FieldClass, value: unknown, harness: Harness): unknown {
  switch (operator) {
    case 'shrink':
      if (Array.isArray(value)) return value.slice(0, Math.ceil(value.length / 2));
      return typeof value === 'number' ? Math.max(1, Math.floor(value * SHRUNK)) : undefined;
    case 'empty':
      if (typeof value === 'string') return '';
      return type === 'memory-limit' ? 1 : typeof value === 'number' ? 0 : undefined;
    case 'rename':
      return typeof value === 'string' && value !== '' ? value.replace(/[\w}]+/, (word) => `${word}_2`) : undefined;
    case 'renumber':
      return typeof value === 'string' ? renumbered(value) : undefined;
    case 'truncate':
      return typeof value === 'string' ? truncated(value) : undefined;
    case 'swap':
      return otherValue(type, value);
    case 'contradict':
      return type === 'stop' ? [openingOfCalls(harness)] : undefined;
    default:
      return undefined;
  }
}

/** Every number of a text becomes another one. */
function renumbered(text: string): string {
  return text.replace(/\d+/g, (digits) => String(Number(digits) + 1));
}

/** The first half of the words. */
function truncated(text: string): string {
  const words = text.split(' ');
  return words.slice(0, Math.ceil(words.length / 2)).join(' ');
}

/** The other value of a field that has two. */
function otherValue(type: FieldClass, value: unknown): unknown {
  if (type === 'middleware-option') return typeof value === 'boolean' ? !value : undefined;
  if (type === 'answer-source') return value === 'text' ? 'tool' : 'text';
  if (type === 'final-turn') return value !== true;
  if (type === 'argument-type') return value === 'string' ? 'integer' : 'string';
  const { kind } = value as { kind: string };
  if (type === 'tool-backend') return kind === 'record' ? { kind: 'builtin', name: 'calculator' } : { kind: 'record' };
  if (type !== 'dialect') return undefined;
  return kind === 'tags'
    ? { kind: 'fenced', open: 'json', close: '```', body: 'call' }
    : { kind: 'tags', open: '<tool_call>', close: '</tool_call>', body: 'call' };
}

function openingOfCalls({ settings }: Harness): string {
  const { kind, open } = settings.protocol.dialect;
  return kind === 'json' ? '{' : kind === 'fenced' ? '```' : open;
}
