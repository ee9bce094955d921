import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commonPrefixLength } from './common-prefix.ts';

const FOLDER_NAME = /^co-harness-prefix-(\d+)-/;

/** The evaluated state of a prompt prefix, in a file, or on its way there. */
export interface PrefixSnapshot {
  readonly tokens: readonly number[];
  readonly file: string;
  /** False when the maker failed: evaluate the prefix yourself. Never rejects. */
  readonly ready: Promise<boolean>;
}

/** A snapshot that its maker has promised. */
export interface AnnouncedSnapshot {
  readonly tokens: readonly number[];
  readonly file: string;
  /** Must be called once; null = could not be made. */
  finish(bytes: number | null): Promise<void>;
}

interface Entry extends PrefixSnapshot {
  bytes: number;
  users: number;
  settle(ok: boolean): void;
}

/**
 * States of shared prompt prefixes, so that a prefix is evaluated once and not once per sequence. Kept in a private temporary folder that
 * `close` removes; the least recently used go first when more than `maxBytes` are held.
 */
export class PrefixSnapshots {
  readonly #maxBytes: number;
  readonly #folder: string;
  /** Least recently used first. */
  #entries: Entry[] = [];
  #made = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    removeFoldersOfDeadProcesses();
    this.#folder = mkdtempSync(join(tmpdir(), `co-harness-prefix-${process.pid}-`));
  }

  /** The snapshot, made or being made, that shares most tokens with these; `length` counts them. */
  longest(tokens: readonly number[], limit: number): { snapshot: PrefixSnapshot; length: number } | undefined {
    let best: { snapshot: Entry; length: number } | undefined;
    for (const snapshot of this.#entries) {
      const length = commonPrefixLength(snapshot.tokens, tokens, limit);
      if (length > (best?.length ?? 0)) best = { snapshot, length };
    }
    return best;
  }

  /** From now on `longest` finds it, and users wait for it to be made. */
  announce(tokens: readonly number[]): AnnouncedSnapshot {
    let settle: (ok: boolean) => void = () => {};
    const ready = new Promise<boolean>((resolve) => {
      settle = resolve;
    });
    const entry: Entry = {
      tokens,
      file: join(this.#folder, `${this.#made++}.state`),
      ready,
      bytes: 0,
      users: 1,
      settle,
    };
    this.#entries.push(entry);
    return {
      tokens,
      file: entry.file,
      finish: async (bytes) => {
        entry.users--;
        entry.bytes = bytes ?? 0;
        if (bytes === null) this.#entries = this.#entries.filter((other) => other !== entry);
        settle(bytes !== null);
        if (bytes === null) await rm(entry.file, { force: true });
        else await this.#evict();
      },
    };
  }

  /** Runs `action` on the file when it was made; it is not evicted meanwhile. False when there is no such file. */
  async use(snapshot: PrefixSnapshot, action: (file: string) => Promise<void>): Promise<boolean> {
    const entry = this.#entries.find((other) => other === snapshot);
    if (entry === undefined) return false;
    entry.users++;
    try {
      if (!(await entry.ready)) return false;
      this.#entries = [...this.#entries.filter((other) => other !== entry), entry];
      await action(entry.file);
      return true;
    } finally {
      entry.users--;
    }
  }

  async close(): Promise<void> {
    for (const entry of this.#entries) entry.settle(false);
    this.#entries = [];
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #evict(): Promise<void> {
    let total = this.#entries.reduce((sum, entry) => sum + entry.bytes, 0);
    for (const entry of this.#entries.filter(({ users, bytes }) => users === 0 && bytes > 0)) {
      if (total <= this.#maxBytes) return;
      total -= entry.bytes;
      this.#entries = this.#entries.filter((other) => other !== entry);
      await rm(entry.file, { force: true });
    }
  }
}

/** A killed process cannot remove its own folder. */
function removeFoldersOfDeadProcesses(): void {
  for (const name of readdirSync(tmpdir())) {
    const owner = FOLDER_NAME.exec(name)?.[1];
    if (owner !== undefined && !isAlive(Number(owner))) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
