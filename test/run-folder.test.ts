import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentHash } from '../src/base/content-hash.ts';
import { memoryJournal } from '../src/base/journal.ts';
import { openSqliteJournal } from '../src/base/sqlite-journal.ts';
import { renderTree } from '../src/cli/log-command.ts';
import { runConfigSchema } from '../src/evolution/run-config.ts';
import type { RunContext } from '../src/evolution/run-context.ts';
import type { SealedTest } from '../src/evolution/sealed-test.ts';
import { prepareRun } from '../src/evolution/start-run.ts';
import { takeRollback } from '../src/evolution/take-rollback.ts';
import { checkRun } from '../src/registry/check-run.ts';
import { openRegistry } from '../src/registry/registry.ts';
import type { AuditEvidence, Version } from '../src/registry/version.ts';
import { runCli } from './scripted-world/run-cli.ts';
import { executeScriptedRun, journalFile, scriptedEngines, scriptedRun } from './scripted-world/scripted-world.ts';

let root: string;
let finished: string;
const small = { rounds: 1, iterations: 1 };

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'co-harness-folder-'));
  finished = join(root, 'finished');
  await executeScriptedRun({ folder: finished, prepared: scriptedRun(small), engines: withAdapterFiles(finished) });
}, 400_000);

afterAll(() => rm(root, { recursive: true, force: true }));

/** Scripted training that leaves a file whose hash is the adapter's, as the real one does. */
function withAdapterFiles(folder: string) {
  const engines = scriptedEngines();
  const train: typeof engines.trainer.train = async (request) => {
    const text = `adapter of ${request.dataset}`;
    const { createHash } = await import('node:crypto');
    const adapter = createHash('sha256').update(text).digest('hex') as ReturnType<typeof contentHash>;
    await mkdir(join(folder, 'adapters', adapter), { recursive: true });
    await writeFile(join(folder, 'adapters', adapter, 'adapter.gguf'), text);
    return { ...(await engines.trainer.train(request)), adapter };
  };
  return { ...engines, trainer: { train } };
}

async function checked(folder: string) {
  const journal = openSqliteJournal(journalFile(folder), { readOnly: true });
  try {
    return await checkRun(folder, journal);
  } finally {
    await journal.close();
  }
}

async function versionsOf(folder: string): Promise<Version[]> {
  const journal = openSqliteJournal(journalFile(folder), { readOnly: true });
  const versions = (await journal.entries('version')).map((entry) => entry.value as Version);
  await journal.close();
  return versions;
}

/** What `check` finds in the finished run with other versions, and with audits that it did not make. */
async function problemsWith(change: (versions: Version[]) => unknown, audits: AuditEvidence[] = []): Promise<string[]> {
  const written = openSqliteJournal(journalFile(finished), { readOnly: true });
  const versions = await versionsOf(finished);
  change(versions);
  const journal = memoryJournal();
  for (const entry of await written.entries()) if (entry.kind !== 'version') await journal.put(entry);
  await written.close();
  for (const value of versions) await journal.put({ key: contentHash({ value }), kind: 'version', value });
  for (const value of audits) await journal.put({ key: contentHash({ value }), kind: 'audit', value });
  return (await checkRun(finished, journal)).problems;
}

describe('two processes in one run folder', { timeout: 180_000 }, () => {
  it('do not work at once: the second is refused and changes nothing', async () => {
    const folder = join(root, 'shared');
    let second: unknown;
    const engines = scriptedEngines();
    const open: typeof engines.models.open = async (identity) => {
      second ??= await executeScriptedRun({ folder, prepared: scriptedRun(small) }).catch((error: unknown) => error);
      return engines.models.open(identity);
    };
    await executeScriptedRun({
      folder,
      prepared: scriptedRun(small),
      engines: { ...engines, models: { ...engines.models, open } },
    });
    expect(second).toMatchObject({ code: 'run-in-use' });
  });
});

describe('a token budget', { timeout: 180_000 }, () => {
  it('stops the run within one rollout of it, keeps everything, and more of it continues', async () => {
    const folder = join(root, 'budget');
    const journal = memoryJournal();
    const prepared = (tokens: number) => scriptedRun({ ...small, budget: { tokens } });
    const run = (tokens: number) =>
      executeScriptedRun({
        folder,
        journal,
        prepared: { ...prepared(tokens), identity: contentHash('one') },
      });
    await expect(run(30_000)).rejects.toMatchObject({ code: 'budget-spent' });
    const rollouts = await journal.entries('rollout');
    const sizes = rollouts.map(({ value }) => {
      const { usage } = value as { usage: { promptTokens: number; completionTokens: number } };
      return usage.promptTokens + usage.completionTokens;
    });
    const spent = sizes.reduce((sum, size) => sum + size, 0);
    expect(spent).toBeGreaterThanOrEqual(30_000);
    expect(spent).toBeLessThan(30_000 + Math.max(...sizes));
    await expect(run(30_000)).rejects.toMatchObject({ code: 'budget-spent' });
    expect(await journal.entries('rollout')).toHaveLength(rollouts.length);
    await run(100_000_000);
    expect(await journal.entries('sealed-test')).toHaveLength(1);
  });
});

describe('check', () => {
  it('finds a finished run as it was written', async () => {
    const { checked: counts, problems } = await checked(finished);
    expect(problems).toEqual([]);
    expect(counts.harnesses).toBeGreaterThanOrEqual(2);
    expect(counts).toMatchObject({ adapters: 1, datasets: 1 });
    expect(counts.rollouts).toBeGreaterThan(100);
    expect(counts.decisions).toBe(counts.versions - 1);
  });

  it('names a harness, an adapter, a dataset and a decision that were changed afterwards', async () => {
    const versions = await versionsOf(finished);
    const harness = versions[1]?.pair.harness ?? '';
    const adapter = versions.find(({ kind }) => kind === 'weights')?.pair.model.adapter ?? '';
    const dataset = versions.find(({ training }) => training !== null)?.training?.dataset ?? '';
    const touched = [
      join(finished, 'registry', harness, 'prompts', 'system.md'),
      join(finished, 'adapters', adapter, 'adapter.gguf'),
      join(finished, 'datasets', dataset, 'rows.jsonl'),
    ];
    const before = await Promise.all(touched.map((file) => readFile(file, 'utf8')));
    await writeFile(touched[0] as string, `${before[0]}Be exact.\n`);
    await writeFile(touched[1] as string, 'x');
    await writeFile(touched[2] as string, (before[2] as string).replace(/\d+/, '7'));
    const database = new DatabaseSync(journalFile(finished));
    const row = database
      .prepare("SELECT id, value FROM step WHERE kind = 'version' ORDER BY id LIMIT 1 OFFSET 1")
      .get();
    const better = JSON.parse(row?.value as string) as Version;
    if (better.decision !== null) better.decision.whole.mean = 0.99;
    database.prepare('UPDATE step SET value = ? WHERE id = ?').run(JSON.stringify(better), row?.id as number);
    const { problems } = await checked(finished);
    database.prepare('UPDATE step SET value = ? WHERE id = ?').run(row?.value as string, row?.id as number);
    database.close();
    await Promise.all(touched.map((file, index) => writeFile(file, before[index] as string)));
    expect(problems).toEqual(
      expect.arrayContaining([
        expect.stringContaining(`registry/${harness}`),
        expect.stringContaining(`adapters/${adapter}`),
        expect.stringContaining(`datasets/${dataset}`),
        expect.stringContaining('v1: its decision is not one that the gate wrote'),
      ]),
    );
    expect((await checked(finished)).problems).toEqual([]);
  });

  it('names a sealed test whose results, tasks or look are not those of the run', async () => {
    const database = new DatabaseSync(journalFile(finished));
    const problemsAfter = async <T>(kind: string, change: (value: T) => void) => {
      const row = database.prepare('SELECT id, value FROM step WHERE kind = ? LIMIT 1').get(kind);
      const value = JSON.parse(row?.value as string) as T;
      change(value);
      const write = database.prepare('UPDATE step SET value = ? WHERE id = ?');
      write.run(JSON.stringify(value), row?.id as number);
      const { problems } = await checked(finished);
      write.run(row?.value as string, row?.id as number);
      return problems;
    };
    const better = await problemsAfter<SealedTest>('sealed-test', ({ results: [first] }) => {
      for (const rollout of first?.rollouts.slice(0, 3) ?? []) rollout.score = 1 - (rollout.score ?? 0);
    });
    expect(better).toEqual([expect.stringMatching(/^sealed test of seed 1: 3 of its \d+ results are not those/)]);
    const opened = await problemsAfter<{ sealed: string[] }>('run', (header) => header.sealed.pop());
    expect(opened).toEqual([expect.stringContaining('1 of its tasks are not among those that the run sealed')]);
    const unseen = await problemsAfter<{ by: string }>('sealed-look', (look) => {
      look.by = 'eval';
    });
    expect(unseen).toEqual([expect.stringContaining('its look is not counted')]);
    database.close();
    expect((await checked(finished)).problems).toEqual([]);
  });

  it('names a version whose champion mark, verdict or decision is not what makes a champion', async () => {
    const refused = { verdict: 'reject', accepted: true } as const;
    expect(await problemsWith(([, one]) => Object.assign(one as Version, refused))).toEqual([
      'v1: it is marked as accepted, which "reject" does not say',
      'v1: its verdict is not that of its decision',
    ]);
    expect(await problemsWith(([, one]) => Object.assign(one as Version, { decision: null }))).toEqual([
      'v1: of kind harness, it has no decision',
    ]);
    expect(await problemsWith((versions) => versions.splice(0, 1))).toEqual(
      expect.arrayContaining(['v1: stands at place 0 of the registry', 'v1: its parent v0 is not an earlier version']),
    );
  });

  it('names weights that no training left, and weights that came with another harness', async () => {
    const weights = (versions: Version[]) => versions.find(({ kind }) => kind === 'weights') as Version;
    const foreign = await problemsWith((versions) => {
      weights(versions).pair.model.adapter = contentHash('foreign');
    });
    expect(foreign).toEqual(
      expect.arrayContaining([expect.stringMatching(/v2: no training of the journal left the adapter/)]),
    );
    const moved = await problemsWith((versions) => {
      weights(versions).pair.harness = versions[0]?.pair.harness as Version['pair']['harness'];
    });
    expect(moved).toEqual(['v2: its harness is not that of its parent v1']);
  });

  it('names a rollback to a pair that nobody had, or that its audit does not speak for', async () => {
    const evidence = (against: AuditEvidence['against'], subject: number) =>
      ({ against, subject, reference: null, verdict: 'drifted', mean: -0.2 }) as AuditEvidence;
    const after = (changes: Partial<Version>, audits: AuditEvidence[] = []) =>
      problemsWith((versions) => {
        const last = versions.at(-1) as Version;
        versions.push({
          ...last,
          version: versions.length,
          parent: last.version,
          kind: 'rollback',
          verdict: 'rollback',
          accepted: true,
          patch: null,
          decision: null,
          training: null,
          ...changes,
        });
      }, audits);
    const versions = await versionsOf(finished);
    const [seed, diff, last] = [versions[0], versions[1], versions.at(-1)] as [Version, Version, Version];
    const unknown = { ...seed.pair, model: last.pair.model };

    expect(await after({ pair: seed.pair })).toEqual([]);
    expect(await after({ pair: unknown })).toEqual([
      expect.stringContaining('to a pair that no earlier version of its seed has'),
    ]);

    const lost = evidence('seed', last.version);
    expect(await after({ pair: seed.pair, rolledBack: { evidence: lost, undoes: [] } }, [lost])).toEqual([]);
    expect(await after({ pair: seed.pair, rolledBack: { evidence: lost, undoes: [] } })).toEqual([
      expect.stringContaining('its evidence is not one that an audit wrote'),
    ]);
    expect(await after({ pair: unknown, rolledBack: { evidence: lost, undoes: [] } }, [lost])).toEqual([
      expect.stringContaining('does not descend from'),
    ]);

    const harmful = evidence('without-diff', last.version);
    const without = (pair: Version['pair'], undoes: number[]) =>
      after({ pair, rolledBack: { evidence: harmful, undoes } }, [harmful]);
    expect(await without(unknown, [diff.version])).toEqual([]);
    expect(await without(unknown, [])).toEqual([expect.stringMatching(/without what it takes back/)]);
  });
});

/** A registry whose entries a test writes. */
function writableRegistry(name: string) {
  const journal = memoryJournal();
  const registry = openRegistry(join(root, name), journal);
  const { harness } = scriptedRun();
  const record = (
    parent: number | null,
    kind: Version['kind'],
    verdict: Version['verdict'],
    round: number,
    adapter: string | null,
  ) =>
    registry.record(
      contentHash([parent, kind, adapter]),
      {
        seed: 1,
        round,
        parent,
        kind,
        verdict,
        pair: {
          harness: harness.hash,
          model: { base: contentHash('base'), adapter: adapter === null ? null : contentHash(adapter) },
        },
        reason: 'x',
        explanation: 'x',
        patch: null,
        decision: null,
        prediction: null,
        training: null,
      },
      harness,
    );
  const context = { registry, journal, seed: 1, emit: () => {} } as unknown as RunContext;
  return { registry, record, context };
}

describe('a rollback that a person asks for', { timeout: 180_000 }, () => {
  it('is where the next round starts and a new champion, whatever the round in which it was asked for still accepted', async () => {
    const { registry, record, context } = writableRegistry('asked');
    await record(null, 'seed', 'seed', 0, null);
    await record(0, 'weights', 'better', 1, 'one');
    const asked = await record(1, 'rollback', 'rollback', 1, null);
    const late = await record(1, 'weights', 'better', 1, 'two');
    const taken = await takeRollback(context, late, 1);
    expect(taken).toMatchObject({ kind: 'rollback', round: 1, parent: late.version, pair: asked.pair, accepted: true });
    expect(await registry.champion(1)).toEqual(taken);
    const onIt = await record(taken.version, 'weights', 'better', 2, 'three');
    expect(await takeRollback(context, onIt, 2)).toEqual(onIt);
    // A process that goes on from the journal meets a rollback that was asked for later.
    const later = await record(onIt.version, 'rollback', 'rollback', 1, null);
    expect(await takeRollback(context, late, 1)).toEqual(taken);
    expect(await takeRollback(context, onIt, 3)).toEqual(later);
  });

  it('stays where a run from before went on from it: nothing is recorded, and what was judged on it stays so', async () => {
    const { registry, record, context } = writableRegistry('older');
    await record(null, 'seed', 'seed', 0, null);
    await record(0, 'weights', 'better', 1, 'one');
    const asked = await record(1, 'rollback', 'rollback', 1, null);
    const late = await record(1, 'weights', 'better', 1, 'two');
    await record(asked.version, 'weights', 'reject', 2, 'three');
    expect(await takeRollback(context, late, 1)).toEqual(asked);
    expect(await registry.versions()).toHaveLength(5);
  });

  it('is what a stopped run goes on from and reports; after its end it changes nothing that was measured', async () => {
    const folder = join(root, 'rolled-back');
    const controller = new AbortController();
    const prepared = (seeds: number) => ({ ...scriptedRun({ iterations: 1, seeds }), identity: contentHash('one') });
    const stopped = executeScriptedRun({
      folder,
      prepared: prepared(1),
      signal: controller.signal,
      observers: [
        (event) =>
          void (
            event.type === 'version-recorded' &&
            event.version.accepted &&
            event.version.version > 0 &&
            controller.abort()
          ),
      ],
    });
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
    const rollBack = async (to: string) =>
      JSON.parse((await runCli(root, 'rollback', to, '--run', folder, '--json')).stdout) as Version;
    const read = async () => {
      const journal = openSqliteJournal(journalFile(folder), { readOnly: true });
      const valuesOf = async (kind: string) => (await journal.entries(kind)).map(({ value }) => value);
      const [tests, versions] = [await valuesOf('sealed-test'), await valuesOf('version')];
      await journal.close();
      return { tests: tests as SealedTest[], versions: versions as Version[] };
    };
    const first = await rollBack('v0');

    await executeScriptedRun({ folder, prepared: prepared(1) });
    const { tests, versions } = await read();
    const [, afterFirst] = tests[0]?.rounds ?? [];
    const left = versions[afterFirst?.version ?? -1];
    expect(left).toMatchObject({ kind: 'rollback', pair: first.pair });
    expect(versions.find(({ round }) => round === 2)?.parent).toBe(left?.version);

    await rollBack('v1');
    await executeScriptedRun({ folder, prepared: prepared(2) });
    const both = (await read()).tests;
    expect(both.map(({ seed }) => seed)).toEqual([1, 2]);
    expect(both[0]).toEqual(tests[0]);

    // A run from before rounds kept what they left behind: its sealed test is opened once all the same.
    const database = new DatabaseSync(journalFile(folder));
    database.exec("DELETE FROM step WHERE kind = 'round-end'");
    database.close();
    await executeScriptedRun({ folder, prepared: prepared(2) });
    expect((await read()).tests).toEqual(both);
  });
});

describe('log', () => {
  it('draws every version under the one it was compared with', async () => {
    const version = (number: number, parent: number | null) =>
      ({
        version: number,
        parent,
        kind: 'harness',
        verdict: 'reject',
        accepted: false,
        patch: null,
        decision: null,
        pair: { harness: contentHash(number), model: { base: contentHash('b'), adapter: null } },
      }) as unknown as Version;
    const tree = renderTree([version(0, null), version(1, 0), version(2, 1), version(3, 1), version(4, 0)]);
    expect(tree.map((line) => /^[^v]*v\d/.exec(line)?.[0])).toEqual(['v0', '├─ v1', '│  ├─ v2', '│  └─ v3', '└─ v4']);
  });
});

describe('splits that somebody made', () => {
  it('are taken from three files as they are', async () => {
    const folder = join(root, 'splits');
    await mkdir(join(folder, 'harness'), { recursive: true });
    await writeFile(join(folder, 'harness', 'harness.yaml'), 'name: x\n');
    const words = {
      train: 'red apples in a barn',
      gate: 'ships that cross a wide sea',
      test: 'stars seen from one hill',
    };
    for (const [split, text] of Object.entries(words)) {
      await writeFile(
        join(folder, `${split}.jsonl`),
        `${JSON.stringify({ id: split, problem: `How many ${text}?`, answer: '1' })}\n`,
      );
    }
    await copyFile(join(folder, 'test.jsonl'), join(folder, 'same.jsonl'));
    const config = (files: Record<string, string>) =>
      runConfigSchema.parse({
        name: 'x',
        model: { source: 'file:x' },
        verifier: { kind: 'numeric' },
        tasks: { files },
        // One task a split: the only rule that decides on one group.
        gate: { rule: 'paper' },
      });
    const files = { train: 'train.jsonl', gate: 'gate.jsonl', test: 'test.jsonl' };
    const { splits, configFile, identity } = await prepareRun(config(files), join(folder, 'co-harness.config.yaml'));
    expect([splits.train[0]?.id, splits.gate[0]?.id, splits.test[0]?.id]).toEqual(['train', 'gate', 'test']);
    expect(configFile).toBe(join(folder, 'co-harness.config.yaml'));
    const swapped = await prepareRun(
      config({ ...files, train: 'gate.jsonl', gate: 'train.jsonl' }),
      join(folder, 'c.yaml'),
    );
    expect(swapped.identity).not.toBe(identity);
    const overlapping = prepareRun(config({ ...files, gate: 'same.jsonl' }), join(folder, 'c.yaml'));
    await expect(overlapping).rejects.toMatchObject({
      code: expect.stringMatching(/split-overlap|duplicate-task-ids/),
    });
  });
});
