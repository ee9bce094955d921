import { canonicalJson } from '../base/content-hash.ts';
import { CoHarnessError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import { pointerStep } from '../base/json-pointer.ts';
import { applyEdits } from './apply-patch.ts';
import type { Harness } from './harness.ts';
import { readYaml, schemaOfFile } from './harness-file.ts';
import type { PatchEdit } from './patch-edit.ts';

/**
 * Edits with which `applyEdits(from, …)` has exactly the files of `to`, in path order. YAML files are edited field by field where that gives
 * the same text, else as a whole.
 */
export function diffHarness(from: Harness, to: Harness): PatchEdit[] {
  const paths = [...new Set([...from.files.keys(), ...to.files.keys()])].sort();
  return paths.flatMap((path) => {
    const before = from.files.get(path);
    const after = to.files.get(path);
    if (before === after) return [];
    const whole: PatchEdit = {
      path,
      ...(before === undefined ? {} : { old: before }),
      ...(after === undefined ? {} : { value: after }),
    };
    if (before === undefined || after === undefined || schemaOfFile(path) === null) return [whole];
    const fields = valueEdits(`${path}#`, readYaml(path, before), readYaml(path, after));
    return fields.length > 0 && gives(from, fields, path, after) ? fields : [whole];
  });
}

function gives(from: Harness, edits: readonly PatchEdit[], path: string, text: string): boolean {
  try {
    return applyEdits(from, edits).files.get(path) === text;
  } catch (error) {
    // One file's edits alone may not make a harness (a dialect and its tool change together): then the whole file is the diff.
    if (CoHarnessError.isInstance(error)) return false;
    throw error;
  }
}

function valueEdits(path: string, before: unknown, after: unknown): PatchEdit[] {
  if (before !== undefined && after !== undefined && canonicalJson(before) === canonicalJson(after)) return [];
  if (isRecord(before) && isRecord(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => valueEdits(`${path}${pointerStep(key)}`, before[key], after[key]));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((item, index) => valueEdits(`${path}/${index}`, item, after[index]));
  }
  return [{ path, ...(before === undefined ? {} : { old: before }), ...(after === undefined ? {} : { value: after }) }];
}
