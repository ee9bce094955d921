import type { ContentHash } from './content-hash.ts';

/** One finished step. `key` is the hash of everything the step depended on. */
export interface JournalEntry {
  key: ContentHash;
  /** What kind of step: groups entries for status and tests. */
  kind: string;
  value: unknown;
}

/**
 * Finished steps by the hash of their inputs. A step runs once: same key → the stored value. Writers are many, order is
 * insertion order. Asynchronous so that a server can stand behind it. Values are JSON.
 */
export interface Journal {
  get(key: ContentHash): Promise<unknown | undefined>;
  /** Durable when it resolves. Writing an existing key again is a no-op (the first value stands). */
  put(entry: JournalEntry): Promise<void>;
  /** Entries in insertion order, all or of one kind. */
  entries(kind?: string): Promise<JournalEntry[]>;
  close(): Promise<void>;
}

/** The stored value of `key`, or the value of `step`, stored before it is returned. Rejects with what `step` rejects. */
export async function once<T>(journal: Journal, kind: string, key: ContentHash, step: () => Promise<T>): Promise<T> {
  const stored = await journal.get(key);
  if (stored !== undefined) return stored as T;
  const value = await step();
  await journal.put({ key, kind, value });
  return value;
}

export function memoryJournal(): Journal {
  const entries = new Map<ContentHash, JournalEntry>();
  return {
    get: async (key) => entries.get(key)?.value,
    put: async (entry) => {
      if (!entries.has(entry.key)) entries.set(entry.key, structuredClone(entry));
    },
    entries: async (kind) => [...entries.values()].filter((entry) => kind === undefined || entry.kind === kind),
    close: async () => {},
  };
}
