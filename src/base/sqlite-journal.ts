import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ContentHash } from './content-hash.ts';
import { CoHarnessError, errorMessage } from './errors.ts';
import type { Journal, JournalEntry } from './journal.ts';

const JOURNAL_VERSION = 1;
/** SQLITE_CANTOPEN and SQLITE_NOTADB; others (busy, full) are no fault of the path. */
const NO_DATABASE: ReadonlySet<number> = new Set([14, 26]);
/** SQLITE_CORRUPT. */
const CORRUPT = 11;

/**
 * Journal in one SQLite file (write-ahead log, full sync: a row is on disk when `put` resolves). Throws CoHarnessError
 * `journal-version` when the file was written by another version, `file-missing` where a file to be read is not there, and `invalid-journal` for a file
 * that is none. `readOnly` never creates or changes the file.
 */
export function openSqliteJournal(file: string, { readOnly = false }: { readOnly?: boolean } = {}): Journal {
  if (!readOnly) mkdirSync(dirname(file), { recursive: true });
  if (readOnly && !statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new CoHarnessError('file-missing', `There is no journal file at ${file}. Check the path.`, {
      details: { file },
    });
  const database = openDatabase(file, readOnly);
  if (!readOnly) prepare(database);
  const version = (database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
  if (version !== JOURNAL_VERSION) {
    database.close();
    throw new CoHarnessError(
      'journal-version',
      `${file} is a journal of version ${version}; this co-harness reads version ${JOURNAL_VERSION}. Start a new run.`,
      { details: { file, version } },
    );
  }
  const select = database.prepare('SELECT value FROM step WHERE key = ?');
  const insert = readOnly
    ? undefined
    : database.prepare('INSERT OR IGNORE INTO step (key, kind, value) VALUES (?, ?, ?)');
  const toEntry = (row: Record<string, unknown>): JournalEntry => ({
    key: row.key as ContentHash,
    kind: row.kind as string,
    value: JSON.parse(row.value as string),
  });
  return {
    get: async (key) =>
      readable(file, () => {
        const row = select.get(key) as { value: string } | undefined;
        return row === undefined ? undefined : JSON.parse(row.value);
      }),
    put: async ({ key, kind, value }) => {
      insert?.run(key, kind, JSON.stringify(value));
    },
    entries: async (kind) =>
      readable(file, () =>
        (kind === undefined
          ? database.prepare('SELECT key, kind, value FROM step ORDER BY id').all()
          : database.prepare('SELECT key, kind, value FROM step WHERE kind = ? ORDER BY id').all(kind)
        ).map(toEntry),
      ),
    close: async () => database.close(),
  };
}

/** Throws CoHarnessError `invalid-journal` where a page or a row can no longer be read. */
function readable<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const isDamaged = cause instanceof SyntaxError || (cause as { errcode?: number }).errcode === CORRUPT;
    if (!isDamaged) throw cause;
    throw new CoHarnessError(
      'invalid-journal',
      `${file} is damaged: ${errorMessage(cause)}. Restore it from a copy; what it still holds can be read with sqlite3 FILE .recover`,
      { details: { file }, cause },
    );
  }
}

/** Opens a database and reads its first page: only that tells whether the file is one. */
function openDatabase(file: string, readOnly: boolean): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly });
    database.prepare('PRAGMA user_version').get();
    return database;
  } catch (cause) {
    database?.close();
    const { errcode } = cause as { errcode?: number };
    if (errcode === undefined || !NO_DATABASE.has(errcode)) throw cause;
    throw new CoHarnessError(
      'invalid-journal',
      `${file} cannot be opened as a journal: ${errorMessage(cause)}. Check the path and its permissions.`,
      { details: { file }, cause },
    );
  }
}

function prepare(database: DatabaseSync): void {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 10000');
  const version = (database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
  if (version !== 0) return;
  database.exec(`
    CREATE TABLE IF NOT EXISTS step (
      id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, value TEXT NOT NULL
    );
    CREATE INDEX IF NOT EXISTS step_kind ON step (kind);
    PRAGMA user_version = ${JOURNAL_VERSION};
  `);
}
