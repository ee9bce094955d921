import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type JournalEntry, memoryJournal } from '../src/base/journal.ts';
import type { Version } from '../src/registry/version.ts';
import { executeScriptedRun, scriptedRun } from './scripted-world/scripted-world.ts';

/**
 * What the loop decides from earlier decisions (the error left, what was refused, who proposed well) must be what it was at that moment: a process that
 * goes on from a journal knows decisions that the first one had still before it. Found by reading: a resumed iteration took its own diff for one that was
 * refused before, and went another way.
 */
let folder: string;
/** So few gate groups that hardly any effect can be shown. */
const refusing = () =>
  scriptedRun({
    gate: { alpha: 0.002 },
    iterations: 3,
    sizes: { ...scriptedRun().config.sizes, gateGroups: 16, auditGroups: 16 },
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'co-harness-resumed-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The journal after `run` went on from the given entries. */
async function continuedFrom(entries: readonly JournalEntry[]): Promise<JournalEntry[]> {
  const journal = memoryJournal();
  for (const entry of entries) await journal.put(entry);
  await executeScriptedRun({ folder, journal, prepared: refusing() });
  return journal.entries();
}

describe('a search in which diffs were refused', () => {
  it('goes the same way when it is continued after any decision, and buys nothing again when it is finished', async () => {
    const whole = await continuedFrom([]);
    const versions = whole.filter(({ kind }) => kind === 'version').map(({ value }) => value as Version);
    expect(versions.filter(({ accepted, kind }) => kind === 'harness' && !accepted).length).toBeGreaterThanOrEqual(2);

    const decisions = whole.flatMap(({ kind }, index) => (kind === 'version' ? [index + 1] : []));
    for (const writes of [...decisions, whole.length]) {
      expect(await continuedFrom(whole.slice(0, writes)), `continued after write ${writes}`).toEqual(whole);
    }
  }, 120_000);
});
