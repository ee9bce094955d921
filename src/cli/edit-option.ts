import { CoHarnessError } from '../base/errors.ts';
import { applyEdits } from '../harness/apply-patch.ts';
import type { Harness } from '../harness/harness.ts';
import { fileEdit, present, valueEdit } from '../patch/harness-edits.ts';

/**
 * φ changed by options of the form FILE#/POINTER=JSON (a value in a YAML file) or FILE="TEXT" (a whole file), one after the other. Throws CoHarnessError
 * `invalid-option` for another form, for a value that is no JSON, and where all of them leave φ as it is.
 */
export function editedByOptions(harness: Harness, options: readonly string[]): Harness {
  const edited = options.reduce((before, option) => {
    const [, file = '', pointer, value = ''] = /^([^#=]+)(?:#([^=]+))?=(.*)$/s.exec(option) ?? [];
    if (file === '') throw refused(option, 'expected FILE#/POINTER=JSON or FILE="TEXT"');
    const given = jsonOf(value, option);
    if (pointer !== undefined) return applyEdits(before, present([valueEdit(before, file, pointer, given)]));
    if (typeof given !== 'string')
      throw refused(option, 'a whole file is text in quotes; a value has a place, FILE#/POINTER=JSON');
    return applyEdits(before, present([fileEdit(before, file, given)]));
  }, harness);
  if (options.length > 0 && edited.hash === harness.hash)
    throw new CoHarnessError('invalid-option', 'The edits leave the harness as it is. Nothing was run.');
  return edited;
}

function jsonOf(value: string, option: string): unknown {
  try {
    return JSON.parse(value);
  } catch (cause) {
    throw refused(option, `${value} is no JSON; text stands in quotes`, cause);
  }
}

function refused(option: string, why: string, cause?: unknown): CoHarnessError {
  return new CoHarnessError('invalid-option', `--edit ${option}: ${why}.`, { cause });
}
