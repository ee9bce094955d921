import { type Document, isScalar, parseDocument } from 'yaml';
import { canonicalJson } from '../base/content-hash.ts';
import { CoHarnessError } from '../base/errors.ts';
import { pointerNames } from '../base/json-pointer.ts';
import { componentOfPath, type PromptName, requireComponent, splitPatchPath } from './component-of-path.ts';
import type { Harness } from './harness.ts';
import { readYaml, schemaOfFile } from './harness-file.ts';
import { DEFAULT_PROMPTS, harnessFromFiles } from './parse-harness.ts';
import type { PatchEdit } from './patch-edit.ts';

/**
 * The only way from one φ to another: edits in order, all or nothing. A value that the file leaves to its default counts as standing
 * there. Comments and layout of untouched YAML parts stay. In a pointer, `-` as last step appends to a list.
 *
 * Throws CoHarnessError `patch-conflict` (`expected`, `actual` in details) when `old` is not what stands there, `patch-forbidden` for a
 * place no harness file may have, `invalid-patch` for an edit that means nothing, `invalid-harness` when the result is not a harness.
 */
export function applyEdits(harness: Harness, edits: readonly PatchEdit[]): Harness {
  const files = new Map(harness.files);
  for (const edit of edits) {
    const { file, pointer } = splitPatchPath(edit.path);
    requireComponent(file, 'patch-forbidden');
    const text =
      pointer === null ? editWholeFile(files.get(file), file, edit) : editValue(files.get(file), file, pointer, edit);
    if (text === undefined) files.delete(file);
    else files.set(file, text);
  }
  return harnessFromFiles(files);
}

function editWholeFile(current: string | undefined, file: string, edit: PatchEdit): string | undefined {
  if (edit.value !== undefined && typeof edit.value !== 'string') {
    throw new CoHarnessError('invalid-patch', `The edit of the whole file ${file} needs a text as its new value.`, {
      details: { path: edit.path },
    });
  }
  const standing = current === undefined ? [undefined, defaultText(file)] : [current];
  const matches = standing.some((text) => text === edit.old || (text !== undefined && sameText(text, edit.old)));
  if (!matches) throw conflict(edit, current);
  return edit.value;
}

/** Prompts are read without their last line ends, so a patch that copies a prompt need not know them. */
function sameText(text: string, old: unknown): boolean {
  return typeof old === 'string' && text.replace(/\n+$/, '') === old.replace(/\n+$/, '');
}

function defaultText(file: string): string | undefined {
  const place = componentOfPath(file);
  return place?.kind === 'prompt' ? DEFAULT_PROMPTS[place.name as PromptName] : undefined;
}

function editValue(current: string | undefined, file: string, pointer: string, edit: PatchEdit): string {
  if (schemaOfFile(file) === null || pointer === '' || !pointer.startsWith('/')) {
    throw new CoHarnessError(
      'invalid-patch',
      `${edit.path}: a JSON pointer ("/name/…") works inside YAML files of φ only. Edit the whole file instead.`,
      { details: { path: edit.path } },
    );
  }
  const text = current ?? '';
  readYaml(file, text);
  const document = parseDocument(text);
  const steps = pointerSteps(document, pointer);
  const standing = plainValue(document, steps);
  if (!isSame(standing, edit.old) && !(standing === undefined && isSame(defaultValue(file, text, steps), edit.old))) {
    throw conflict(edit, standing);
  }
  const scalar = scalarSource(document, steps);
  if (edit.value === undefined) document.deleteIn(steps);
  else setValue(document, steps, edit);
  return spliced(text, scalar, edit.value, document) ?? document.toString({ lineWidth: 0 });
}

/** Where a one-line scalar stands in the text; null for anything else. */
function scalarSource(
  document: Document,
  steps: readonly (string | number)[],
): { start: number; end: number; isPlain: boolean } | null {
  const node = document.getIn(steps, true);
  if (!isScalar(node) || node.range == null || node.anchor !== undefined) return null;
  if (node.type !== 'PLAIN' && node.type !== 'QUOTE_DOUBLE' && node.type !== 'QUOTE_SINGLE') return null;
  return { start: node.range[0], end: node.range[1], isPlain: node.type === 'PLAIN' };
}

/**
 * The text with one scalar exchanged and every other character kept; null unless that reads exactly as `edited` does. Printing the document
 * would change its layout (blanks inside brackets, indentation).
 */
function spliced(
  text: string,
  scalar: { start: number; end: number; isPlain: boolean } | null,
  value: unknown,
  edited: Document,
): string | null {
  if (scalar === null || value === undefined || (typeof value === 'object' && value !== null)) return null;
  const quoted = JSON.stringify(value);
  const forms = scalar.isPlain && typeof value === 'string' ? [value, quoted] : [quoted];
  const wanted = canonicalJson(edited.toJS());
  for (const form of forms) {
    const candidate = text.slice(0, scalar.start) + form + text.slice(scalar.end);
    if (readsAs(candidate, wanted)) return candidate;
  }
  return null;
}

function readsAs(text: string, wanted: string): boolean {
  const document = parseDocument(text);
  if (document.errors.length > 0) return false;
  try {
    return canonicalJson(document.toJS()) === wanted;
  } catch (error) {
    // A plain "*name" reads as an alias of nothing, which shows only here.
    if (error instanceof ReferenceError) return false;
    throw error;
  }
}

function pointerSteps(document: Document, pointer: string): (string | number)[] {
  const steps: (string | number)[] = [];
  for (const step of pointerNames(pointer)) {
    const parent = plainValue(document, steps);
    if (!Array.isArray(parent)) steps.push(step);
    else steps.push(step === '-' ? parent.length : Number(step));
  }
  return steps;
}

function plainValue(document: Document, steps: readonly (string | number)[]): unknown {
  let value: unknown = document.toJS() ?? {};
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

function setValue(document: Document, steps: readonly (string | number)[], edit: PatchEdit): void {
  const node = document.getIn(steps, true);
  const isPlain = typeof edit.value !== 'object' || edit.value === null;
  try {
    // Changing the value inside its node keeps the comment beside it; a change of type needs a new node to be quoted rightly.
    if (isScalar(node) && isPlain && typeof node.value === typeof edit.value) node.value = edit.value;
    else document.setIn(steps, document.createNode(edit.value));
  } catch (cause) {
    throw new CoHarnessError('invalid-patch', `${edit.path}: there is no list or mapping to put the value in.`, {
      details: { path: edit.path },
      cause,
    });
  }
}

function defaultValue(file: string, text: string, steps: readonly (string | number)[]): unknown {
  const parsed = schemaOfFile(file)?.safeParse(readYaml(file, text));
  let value: unknown = parsed?.success ? parsed.data : undefined;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === undefined || b === undefined) return a === b;
  return canonicalJson(a) === canonicalJson(b);
}

function conflict(edit: PatchEdit, actual: unknown): CoHarnessError {
  const show = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value));
  return new CoHarnessError(
    'patch-conflict',
    `The patch expects ${show(edit.old)} at ${edit.path}, but ${show(actual)} stands there. It was written for another version of ` +
      'this harness: write it again from the current one.',
    { details: { path: edit.path, expected: edit.old, actual } },
  );
}
