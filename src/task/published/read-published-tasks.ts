import { z } from 'zod';
import { CoHarnessError } from '../../base/errors.ts';
import { checkSchema, jsonValue, parseJson, readTextFile, type TextOrigin } from '../../base/json.ts';
import { type TaskRow, taskSchema } from '../task.ts';
import type { FoundSplit } from './published-set.ts';

/** A task with what its set keeps beside it. */
export type PublishedTask = TaskRow & { source: string };

/**
 * Tasks of a published file in its order: JSON Lines, one JSON list, or a page of the dataset viewer (`{rows: [{row}]}`). Rows that are tasks already
 * (`problem` and `answer`, but for contests, whose published rows look so too) keep their id and their `source`; for the others `source` says where the file is from.
 *
 * Throws CoHarnessError: `file-missing`; `invalid-json` and `invalid-data` naming file, line (or row of a list) and field; `invalid-data-form` for a file
 * that is no JSON; `no-tasks` where it has no row.
 */
export async function readPublishedTasks(file: string, found: FoundSplit, source: string): Promise<PublishedTask[]> {
  const text = await readTextFile(file);
  refuseOtherForms(text, file);
  const tasks = rowsOf(text, file).map(({ row, origin }, index) => taskOf(row, origin, index, found, source));
  if (tasks.length > 0) return tasks;
  throw new CoHarnessError('no-tasks', `${file} has no row. Expected ${found.rows} of ${found.set.title}.`, {
    details: { file },
  });
}

function taskOf(row: unknown, origin: TextOrigin, index: number, found: FoundSplit, source: string): PublishedTask {
  const { id, ...read } = found.set.readRow(row, origin);
  const isContest = found.set.splits.train === undefined;
  const made = isContest ? `${found.name}-${index + 1}` : `${found.name}-${found.split}-${index}`;
  const task = { id: typeof id === 'string' && id !== '' ? id : made, publishedOn: found.set.publishedOn };
  // Checked here, so that a file we wrote is always one that loadTasks reads; what the schema does not know stays beside it.
  return {
    ...read,
    ...checkSchema(taskSchema, { ...read, ...task }, origin),
    source: typeof read.source === 'string' ? read.source : source,
  };
}

interface LocatedRow {
  row: unknown;
  origin: TextOrigin;
}

function rowsOf(text: string, file: string): LocatedRow[] {
  const whole = jsonValue(text);
  const list = Array.isArray(whole) ? whole : pageRows(whole);
  if (list !== null) return list.map((row, index) => ({ row, origin: { file: `${file} (row ${index + 1})` } }));
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const origin = { file, line: index + 1 };
    return [{ row: parseJson(z.unknown(), line, origin), origin }];
  });
}

const pageSchema = z.object({ rows: z.array(z.object({ row: z.record(z.string(), z.unknown()) })) });

function pageRows(value: unknown): unknown[] | null {
  const page = pageSchema.safeParse(value);
  return page.success ? page.data.rows.map(({ row }) => row) : null;
}

function refuseOtherForms(text: string, file: string): void {
  const form = text.startsWith('PAR1')
    ? 'a Parquet file'
    : text.startsWith('version https://git-lfs')
      ? 'a pointer to a file in Git LFS, not the file itself'
      : /^\s*<(?:!doctype|html|\?xml)/i.test(text)
        ? 'a web page'
        : null;
  if (form === null) return;
  throw new CoHarnessError(
    'invalid-data-form',
    `${file} is ${form}. Expected JSON Lines or a JSON list. For a Parquet file: pandas.read_parquet(FILE).to_json(OUT, orient="records", lines=True).`,
    { details: { file, form } },
  );
}
