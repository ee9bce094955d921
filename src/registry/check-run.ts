import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseTrainingRows, readTrainingDataset, trainingDatasetHash } from '../alignment/training-dataset.ts';
import { type ContentHash, contentHash } from '../base/content-hash.ts';
import { errorMessage } from '../base/errors.ts';
import { fileHash } from '../base/file-hash.ts';
import type { Journal, JournalEntry } from '../base/journal.ts';
import type { Harness } from '../harness/harness.ts';
import { readHarness } from '../harness/harness-folder.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { checkSealedTests } from './check-sealed-test.ts';
import { checkVersions } from './check-versions.ts';
import type { TrainingRecord, Version } from './version.ts';

export interface RunCheck {
  /** How many of each were recomputed. */
  checked: {
    harnesses: number;
    adapters: number;
    datasets: number;
    rollouts: number;
    versions: number;
    decisions: number;
  };
  /** What is not as it was written, in words. Empty = everything is. */
  problems: string[];
}

/**
 * Recomputes every hash of a run folder: φ folders, adapters, datasets with the rollouts they came from, rollout keys, and each version: its number, its
 * parent, whether it became the champion, its decision (which must be one that the gate wrote), and its pair: by its diff, which must turn the parent's φ into its own,
 * by its training, or, for a rollback, by its evidence; and the sealed test by its rollouts. Reads only.
 */
export async function checkRun(folder: string, journal: Journal): Promise<RunCheck> {
  const versions = (await journal.entries('version')).map((entry) => entry.value as Version);
  const problems: string[] = [];
  const { harnesses, count } = await checkHarnesses(folder, versions, problems);
  const kept = await journal.entries('rollout');
  const rollouts = checkRollouts(kept, problems);
  const adapters = await checkAdapters(folder, versions, problems);
  const datasets = await checkDatasets(folder, journal, rollouts, problems);
  const decisions = await checkVersions(journal, versions, harnesses, problems);
  const trajectories = kept.map(({ value }) => value as Trajectory);
  await checkSealedTests(journal, trajectories, problems);
  const checked = {
    harnesses: count,
    adapters,
    datasets,
    rollouts: rollouts.size,
    versions: versions.length,
    decisions,
  };
  return { checked, problems };
}

async function checkHarnesses(folder: string, versions: readonly Version[], problems: string[]) {
  const harnesses = new Map<ContentHash, Harness>();
  const wanted = new Set(versions.map(({ pair }) => pair.harness));
  for (const hash of wanted) {
    try {
      const harness = await readHarness(join(folder, 'registry', hash));
      if (harness.hash === hash) harnesses.set(hash, harness);
      else problems.push(`registry/${hash}: its files have the hash ${harness.hash} now`);
    } catch (error) {
      problems.push(`registry/${hash}: ${errorMessage(error)}`);
    }
  }
  return { harnesses, count: wanted.size };
}

function checkRollouts(kept: readonly JournalEntry[], problems: string[]): Set<string> {
  const keys = new Set<string>();
  for (const { key, value } of kept) {
    keys.add(key);
    const actual = contentHash((value as Trajectory).identity);
    if (actual !== key) problems.push(`rollout ${key}: its identity has the hash ${actual} now`);
  }
  return keys;
}

async function checkAdapters(folder: string, versions: readonly Version[], problems: string[]): Promise<number> {
  const wanted = new Set(versions.flatMap(({ pair }) => pair.model.adapter ?? []));
  for (const hash of wanted) {
    const file = join(folder, 'adapters', hash, 'adapter.gguf');
    if (!existsSync(file)) {
      problems.push(`adapters/${hash}/adapter.gguf is missing`);
      continue;
    }
    const actual = await fileHash(file);
    if (actual !== hash) problems.push(`adapters/${hash}/adapter.gguf has the hash ${actual} now`);
  }
  return wanted.size;
}

async function checkDatasets(
  folder: string,
  journal: Journal,
  rollouts: ReadonlySet<string>,
  problems: string[],
): Promise<number> {
  const trainings = (await journal.entries('training')).map(
    (entry) => (entry.value as { record: TrainingRecord }).record,
  );
  const wanted = new Set(trainings.map(({ dataset }) => dataset));
  for (const hash of wanted) {
    try {
      const path = join(folder, 'datasets', hash);
      const manifest = await readTrainingDataset(path);
      const actual = trainingDatasetHash(manifest, await parseTrainingRows(path));
      if (actual !== hash) problems.push(`datasets/${hash}: its rows have the hash ${actual} now`);
      const foreign = manifest.rows.filter(({ rollout }) => !rollouts.has(rollout)).length;
      if (foreign > 0)
        problems.push(`datasets/${hash}: ${foreign} rows come from rollouts that the journal does not hold`);
    } catch (error) {
      problems.push(`datasets/${hash}: ${errorMessage(error)}`);
    }
  }
  return wanted.size;
}
