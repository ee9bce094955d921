import { parse, stringify } from 'yaml';
import { pointerNames, pointerStep } from '../base/json-pointer.ts';
import { toolFile } from '../critic/harness-facts/facts-of-harness.ts';
import type { Harness, HarnessExample } from '../harness/harness.ts';
import type { PatchEdit } from '../harness/patch-edit.ts';

/**
 * The edit that makes `value` stand at a JSON pointer of a YAML file of φ. Where the file or a parent object is absent, the nearest
 * existing place gets the missing rest. Returns null when the value stands there already.
 */
export function valueEdit(harness: Harness, file: string, pointer: string, value: unknown): PatchEdit | null {
  const names = pointerNames(pointer);
  const text = harness.files.get(file);
  if (text === undefined) return { path: file, value: stringify(nested(names, value)) };
  let current: unknown = parse(text);
  for (const [depth, name] of names.entries()) {
    const isObject = typeof current === 'object' && current !== null;
    const next = isObject ? (current as Record<string, unknown>)[name] : undefined;
    if (next === undefined) {
      const place = `${file}#${names
        .slice(0, depth + 1)
        .map(pointerStep)
        .join('')}`;
      return { path: place, value: nested(names.slice(depth + 1), value) };
    }
    current = next;
  }
  if (JSON.stringify(current) === JSON.stringify(value)) return null;
  return { path: `${file}#${pointer}`, old: current, value };
}

/** The same in the file that defines a tool, whatever its folder is called; null also where φ has no such file. */
export function toolEdit(harness: Harness, tool: string, pointer: string, value: unknown): PatchEdit | null {
  const file = toolFile(harness, tool);
  return harness.files.has(file) ? valueEdit(harness, file, pointer, value) : null;
}

function nested(names: readonly string[], value: unknown): unknown {
  return names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
}

/** The edit that makes `text` the whole content of a file; undefined removes it. Null when nothing would change. */
export function fileEdit(harness: Harness, path: string, text: string | undefined): PatchEdit | null {
  const old = harness.files.get(path);
  if (old === text) return null;
  return { path, ...(old === undefined ? {} : { old }), ...(text === undefined ? {} : { value: text }) };
}

/** Path of the file that holds an example of φ. */
export function examplePath(example: Pick<HarnessExample, 'name'>): string {
  return `examples/${example.name}.yaml`;
}

/** Text of an example file: calls as data, so that every dialect renders them. */
export function exampleText({ problem, steps, fromTasks }: Omit<HarnessExample, 'name'>): string {
  return stringify({ problem, steps, fromTasks }, { lineWidth: 0 });
}

/** Edits without those that would change nothing. */
export function present(edits: readonly (PatchEdit | null)[]): PatchEdit[] {
  return edits.filter((edit) => edit !== null);
}
