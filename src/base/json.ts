import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { CoHarnessError } from './errors.ts';
import { isRecord } from './is-record.ts';

/** Where a text came from, for error messages: a path, and a 1-based line where the text is one line of a file. */
export interface TextOrigin {
  file: string;
  line?: number;
}

function place({ file, line }: TextOrigin): string {
  return line === undefined ? file : `${file}:${line}`;
}

function fieldName(path: readonly PropertyKey[]): string {
  return path.length === 0 ? '(the whole value)' : path.map(String).join('.');
}

/**
 * `value` checked against `schema`. Throws CoHarnessError `invalid-data` that names file, line, each bad field and what
 * was expected there (at most 5 fields).
 */
export function checkSchema<T extends z.ZodType>(schema: T, value: unknown, origin: TextOrigin): z.output<T> {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const issues = checked.error.issues.slice(0, 5).map((issue) => `  ${issueText(issue, value)}`);
  throw new CoHarnessError('invalid-data', `${place(origin)} does not have the expected form:\n${issues.join('\n')}`, {
    details: { ...origin, fields: checked.error.issues.map((issue) => fieldName(issue.path)) },
  });
}

/** A field that is not there is called missing: what a union or "any JSON" says of nothing names no cause. */
function issueText({ path, message }: z.core.$ZodIssue, value: unknown): string {
  const around = path.slice(0, -1).reduce<unknown>((inner, step) => Object(inner)[step], value);
  const last = path.at(-1);
  // A schema's own words say more.
  const isDefault = message.startsWith('Invalid input');
  const isMissing = isDefault && last !== undefined && isRecord(around) && around[String(last)] === undefined;
  if (!isMissing) return `${fieldName(path)}: ${message}`;
  const [, expected] = /expected (.+), received undefined/.exec(message) ?? [];
  return `${fieldName(path)} is missing${expected === undefined ? '' : ` (expected ${expected})`}`;
}

/** The value of a text that may be JSON; undefined where it is none. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON text → checked value. Throws CoHarnessError `invalid-json` or `invalid-data`, both naming the place. */
export function parseJson<T extends z.ZodType>(schema: T, text: string, origin: TextOrigin): z.output<T> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new CoHarnessError(
      'invalid-json',
      `${place(origin)} is not valid JSON: ${(cause as Error).message}. ${origin.line === undefined ? 'Correct it.' : 'Correct that line; nothing was read from the file.'}`,
      { details: { ...origin }, cause },
    );
  }
  return checkSchema(schema, value, origin);
}

/** All rows of a JSON Lines file in file order; empty lines are skipped. Throws `file-missing` and what parseJson throws. */
export async function readJsonLines<T extends z.ZodType>(schema: T, file: string): Promise<z.output<T>[]> {
  return jsonLines(await readTextFile(file, 'a JSON Lines file'), file).map(({ content, line }) =>
    parseJson(schema, content, { file, line }),
  );
}

/** The lines of a JSON Lines text that hold something, with their 1-based numbers. Throws CoHarnessError `invalid-data` for one JSON list in their stead. */
export function jsonLines(text: string, file: string): { content: string; line: number }[] {
  if (text.trimStart().startsWith('['))
    throw new CoHarnessError(
      'invalid-data',
      `${file} is a JSON list; expected one JSON object a line (JSON Lines). Write it so: jq -c '.[]' ${file} > NEW.jsonl`,
      { details: { file } },
    );
  return text.split('\n').flatMap((content, index) => (content.trim() === '' ? [] : [{ content, line: index + 1 }]));
}

/**
 * UTF-8 text of a file, without a byte order mark. `expected` is what it should be, for the error where it is a folder. Throws CoHarnessError
 * `file-missing` when it cannot be read.
 */
export async function readTextFile(file: string, expected = 'a file'): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EISDIR')
      throw new CoHarnessError('file-missing', `${file} is a folder; expected ${expected}. Name the file in it.`, {
        details: { file },
        cause,
      });
    throw new CoHarnessError('file-missing', `Cannot read ${file}: ${(cause as Error).message}. Check the path.`, {
      details: { file },
      cause,
    });
  }
}
