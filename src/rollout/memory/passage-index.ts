import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { ChatMessage } from '../../model/model-backend.ts';

const PASSAGE_CHARACTERS = 400;
const MOST_QUERY_WORDS = 32;

/** Full-text search over dropped turns, in memory (SQLite FTS5, ranked by BM25). Ends with `close`. */
export interface PassageIndex {
  add(messages: readonly ChatMessage[]): void;
  /** At most `count` passages that share words with the question, best first. */
  find(question: string, count: number): string[];
  close(): void;
}

/** What an index holds is a transaction that is never committed, so that the database is as new once it is rolled back. */
interface PassageDatabase {
  database: DatabaseSync;
  insert: StatementSync;
  select: StatementSync;
}

/** Opening a database and making its table takes as long as several turns: closed ones are kept, at most this many. */
const MOST_IDLE = 32;
const idle: PassageDatabase[] = [];

export function passageIndex(): PassageIndex {
  const lent = idle.pop() ?? openDatabase();
  lent.database.exec('BEGIN');
  let isClosed = false;
  return {
    add: (messages) => {
      for (const { content } of messages) for (const passage of passagesOf(content)) lent.insert.run(passage);
    },
    find: (question, count) => {
      const words = [...new Set(question.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [])].slice(0, MOST_QUERY_WORDS);
      if (words.length === 0) return [];
      // Quoted: a question is words, never a query language.
      const rows = lent.select.all(words.map((word) => `"${word}"`).join(' OR '), count);
      return rows.map(({ text }) => String(text));
    },
    close: () => {
      if (isClosed) return;
      isClosed = true;
      giveBack(lent);
    },
  };
}

function openDatabase(): PassageDatabase {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE VIRTUAL TABLE passage USING fts5(text)');
  return {
    database,
    insert: database.prepare('INSERT INTO passage (text) VALUES (?)'),
    select: database.prepare('SELECT text FROM passage WHERE passage MATCH ? ORDER BY rank, rowid LIMIT ?'),
  };
}

function giveBack(lent: PassageDatabase): void {
  try {
    lent.database.exec('ROLLBACK');
    if (idle.length < MOST_IDLE) {
      idle.push(lent);
      return;
    }
  } catch {
    // It broke while it was lent, which was reported then: nobody may get it again.
  }
  lent.database.close();
}

/** Pieces of at most 400 characters, cut at line ends where there are some. */
function passagesOf(text: string): string[] {
  const passages: string[] = [];
  let current = '';
  for (const line of text.split('\n')) {
    for (let from = 0; from < Math.max(1, line.length); from += PASSAGE_CHARACTERS) {
      const piece = line.slice(from, from + PASSAGE_CHARACTERS);
      if (current !== '' && current.length + piece.length + 1 > PASSAGE_CHARACTERS) {
        passages.push(current);
        current = piece;
      } else current = current === '' ? piece : `${current}\n${piece}`;
    }
  }
  if (current.trim() !== '') passages.push(current);
  return passages;
}
