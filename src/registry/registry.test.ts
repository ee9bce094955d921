import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentHash } from '../base/content-hash.ts';
import { openSqliteJournal } from '../base/sqlite-journal.ts';
import { harnessFromFiles } from '../harness/parse-harness.ts';
import { openRegistry } from './registry.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'co-harness-registry-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const HARNESS = harnessFromFiles(new Map([['harness.yaml', 'name: one\n']]));

/** As two processes have it: a run, and a person who rolls back beside it. */
function openTwice() {
  const journals = [1, 2].map(() => openSqliteJournal(join(folder, 'run.sqlite')));
  return {
    registries: journals.map((journal) => openRegistry(join(folder, 'registry'), journal)),
    close: () => Promise.all(journals.map((journal) => journal.close())),
  };
}

describe('two processes that record versions at once', () => {
  it('never give two of them one number, and the number is the place in the registry', async () => {
    const { registries, close } = openTwice();
    const recorded = await Promise.all(
      Array.from({ length: 8 }, (_, step) =>
        registries[step % 2]?.record(
          contentHash({ step }),
          {
            seed: 1,
            round: 0,
            parent: null,
            kind: 'seed',
            pair: { harness: HARNESS.hash, model: { base: contentHash('base'), adapter: null } },
            verdict: 'seed',
            reason: 'seed',
            explanation: '',
            patch: null,
            decision: null,
            prediction: null,
            training: null,
          },
          HARNESS,
        ),
      ),
    );
    expect(recorded.map((entry) => entry?.version).sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    const versions = (await registries[0]?.versions()) ?? [];
    expect(versions.map(({ version }) => version)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    await close();
  });
});

describe('a harness that was changed after it was recorded', () => {
  it('is refused, and not read under the hash of another', async () => {
    const { registries, close } = openTwice();
    expect((await registries[0]?.harness(HARNESS.hash))?.hash).toBe(HARNESS.hash);
    await appendFile(join(folder, 'registry', HARNESS.hash, 'harness.yaml'), 'votes: 5\n');
    await expect(registries[0]?.harness(HARNESS.hash)).rejects.toMatchObject({ code: 'harness-changed' });
    await close();
  });
});
