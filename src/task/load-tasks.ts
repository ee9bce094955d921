import { existsSync } from 'node:fs';
import { z } from 'zod';
import { CoHarnessError, errorMessage } from '../base/errors.ts';
import { checkSchema, jsonLines, parseJson, readTextFile } from '../base/json.ts';
import { type TaskRow, taskSchema } from './task.ts';

/** One line of somebody's file, before it is a task. */
export type SourceRow = Record<string, unknown>;

/**
 * Turns a row of a foreign format into a task; null drops the row (it is counted). `index` is the 0-based position
 * among the rows of the file, empty lines not counted. What it returns is checked like any task, what it throws is
 * reported with file and line.
 */
export type MapRow = (row: SourceRow, index: number) => unknown;

export interface LoadedTasks {
  /** In file order. */
  rows: TaskRow[];
  /** Rows for which `mapRow` returned null. */
  dropped: number;
  /** 1-based line of each task id. */
  lineOf: ReadonlyMap<string, number>;
}

const sourceRowSchema = z.record(z.string(), z.unknown());

/**
 * Reads a JSON Lines file of tasks. Empty lines are skipped; a byte order mark and CRLF are accepted.
 *
 * Throws CoHarnessError: `file-missing`; `invalid-json` and `invalid-data` naming file, line and field;
 * `map-row-failed` naming file and line; `duplicate-task-ids` listing each repeated id with its lines; `no-tasks` when
 * no row is left. Nothing is returned in part.
 */
export async function loadTasks(file: string, options: { mapRow?: MapRow | undefined } = {}): Promise<LoadedTasks> {
  const text = await readTasksText(file);
  const rows: TaskRow[] = [];
  const linesOfId = new Map<string, number[]>();
  let dropped = 0;
  let index = 0;
  for (const { content, line } of jsonLines(text, file)) {
    const origin = { file, line };
    const source = parseJson(sourceRowSchema, content, origin);
    const mapped = options.mapRow === undefined ? source : applyMapRow(options.mapRow, source, index, origin);
    index++;
    if (mapped === null) {
      dropped++;
      continue;
    }
    const row = checkSchema(taskSchema, mapped, origin);
    rows.push(row);
    linesOfId.set(row.id, [...(linesOfId.get(row.id) ?? []), origin.line]);
  }
  if (rows.length === 0) throw noTasks(file, index, dropped);
  refuseDuplicateIds(file, linesOfId);
  return { rows, dropped, lineOf: new Map([...linesOfId].map(([id, [line = 0]]) => [id, line])) };
}

/** Examples on published sets come without them: whoever lacks the file learns how to get it. */
async function readTasksText(file: string): Promise<string> {
  try {
    return await readTextFile(file, 'a JSON Lines file of tasks');
  } catch (error) {
    if (!CoHarnessError.isInstance(error, 'file-missing') || existsSync(file)) throw error;
    throw new CoHarnessError(
      'file-missing',
      `${error.message} A published data set comes with: npx co-harness data get NAME --out ${file} (npx co-harness data list names them; the comment at the head of an example's config says which it takes)`,
      { details: error.details, cause: error },
    );
  }
}

function applyMapRow(mapRow: MapRow, row: SourceRow, index: number, origin: { file: string; line: number }): unknown {
  try {
    return mapRow(row, index);
  } catch (cause) {
    throw new CoHarnessError(
      'map-row-failed',
      `${origin.file}:${origin.line}: the configured mapRow function failed: ${errorMessage(cause)}. ` +
        `Correct the function, or let it return null to drop the row.`,
      { details: { ...origin }, cause },
    );
  }
}

function noTasks(file: string, rowCount: number, dropped: number): CoHarnessError {
  const why =
    rowCount === 0
      ? `${file} holds no task: it has no row.`
      : `${file} holds no task: all ${dropped} of its ${rowCount} rows were dropped by the configured mapRow function.`;
  return new CoHarnessError('no-tasks', `${why} Expected one JSON object a line with id, problem and answer.`, {
    details: { file, rows: rowCount, dropped },
  });
}

function refuseDuplicateIds(file: string, linesOfId: ReadonlyMap<string, readonly number[]>): void {
  const duplicates = [...linesOfId].filter(([, lines]) => lines.length > 1);
  if (duplicates.length === 0) return;
  const shown = duplicates.slice(0, 20).map(([id, lines]) => `  ${id} (lines ${lines.join(', ')})`);
  const more = duplicates.length > shown.length ? `\n  … and ${duplicates.length - shown.length} more` : '';
  throw new CoHarnessError(
    'duplicate-task-ids',
    `${file} uses ${duplicates.length} task id${duplicates.length === 1 ? '' : 's'} more than once:\n` +
      `${shown.join('\n')}${more}\nGive every task its own id.`,
    { details: { file, ids: duplicates.map(([id]) => id) } },
  );
}
