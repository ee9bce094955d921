import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeAtomically } from '../base/atomic-file.ts';
import { type ContentHash, contentHash } from '../base/content-hash.ts';
import { CoHarnessError } from '../base/errors.ts';
import { parseJson, readTextFile } from '../base/json.ts';
import type { TrainingSelection } from './select-training-rows.ts';

const DATASET_VERSION = 1;

const hash = z.custom<ContentHash>((value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value), {
  message: 'expected 64 hexadecimal digits',
});
const count = z.int().min(0);

/** manifest.json of a dataset folder; see docs/formats.md. */
const trainingDatasetSchema = z.strictObject({
  version: z.literal(DATASET_VERSION),
  hash,
  harness: hash,
  model: z.strictObject({ base: hash, adapter: hash.nullable() }),
  verifier: hash,
  tokenIds: z.literal('exact'),
  tokens: count,
  supervisedTokens: count,
  /** Where each line of rows.jsonl comes from, in the same order. */
  rows: z.array(z.strictObject({ task: hash, rollout: hash, event: z.string() })),
  rollouts: z.strictObject({ seen: count, selected: count, dropped: z.record(z.string(), count) }),
  calls: z.strictObject({ selected: count, dropped: z.record(z.string(), count) }),
});
export type TrainingDataset = z.output<typeof trainingDatasetSchema>;

/**
 * Writes `<root>/<hash>/rows.jsonl` and, last, `manifest.json`; a folder that has its manifest is left as it is. The hash is that of the rows
 * and the pair they come from. Throws CoHarnessError `no-training-rows` when there is no row.
 */
export async function writeTrainingDataset(
  root: string,
  selection: TrainingSelection,
): Promise<{ hash: ContentHash; folder: string }> {
  const { harness, model, verifier, tokenIds } = selection;
  if (selection.rows.length === 0) {
    throw new CoHarnessError(
      'no-training-rows',
      `None of ${selection.rollouts.seen} rollouts gave a training row (dropped: ${describe(selection.rollouts.dropped)}). ` +
        'Improve the harness first, or sample more often per task.',
      { details: { dropped: selection.rollouts.dropped } },
    );
  }
  const hash = trainingDatasetHash(selection, selection.rows);
  const folder = join(root, hash);
  if (existsSync(join(folder, 'manifest.json'))) return { hash, folder };
  const lines = selection.rows.map((row) => JSON.stringify({ input_ids: row.inputIds, supervised: row.supervised }));
  const manifest: TrainingDataset = {
    version: DATASET_VERSION,
    hash,
    harness,
    model,
    verifier,
    tokenIds,
    tokens: sum(selection.rows.map((row) => row.inputIds.length)),
    supervisedTokens: sum(selection.rows.flatMap((row) => row.supervised.map(([start, end]) => end - start))),
    rows: selection.rows.map(({ task, rollout, event }) => ({ task, rollout, event })),
    rollouts: selection.rollouts,
    calls: selection.calls,
  };
  await mkdir(folder, { recursive: true });
  await writeAtomically(join(folder, 'rows.jsonl'), `${lines.join('\n')}\n`);
  await writeAtomically(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return { hash, folder };
}

/** The manifest of a complete dataset folder. Throws `file-missing` when it is not complete, and what parseJson throws. */
export async function readTrainingDataset(folder: string): Promise<TrainingDataset> {
  const file = join(folder, 'manifest.json');
  return parseJson(trainingDatasetSchema, await readTextFile(file), { file });
}

/** Identity of a dataset: its rows with where each comes from, and the pair and verifier that made them. */
export function trainingDatasetHash(
  { harness, model, verifier }: Pick<TrainingDataset, 'harness' | 'model' | 'verifier'>,
  rows: TrainingSelection['rows'],
): ContentHash {
  return contentHash({ version: DATASET_VERSION, harness, model, verifier, rows });
}

const lineSchema = z.strictObject({
  input_ids: z.array(count),
  supervised: z.array(z.tuple([count, count])),
});

/** Rows of a dataset folder as they were selected. Throws what {@link readTrainingDataset} throws, and parseJson's errors with the line. */
export async function parseTrainingRows(folder: string): Promise<TrainingSelection['rows']> {
  const { rows } = await readTrainingDataset(folder);
  const file = join(folder, 'rows.jsonl');
  const lines = (await readTextFile(file)).split('\n').filter((line) => line !== '');
  if (lines.length !== rows.length) {
    throw new CoHarnessError('invalid-data', `${file} has ${lines.length} rows, its manifest ${rows.length}.`, {
      details: { file },
    });
  }
  return lines.map((line, index) => {
    const { input_ids: inputIds, supervised } = parseJson(lineSchema, line, { file, line: index + 1 });
    return { ...(rows[index] as TrainingDataset['rows'][number]), inputIds, supervised };
  });
}

function describe(dropped: Readonly<Record<string, number>>): string {
  const parts = Object.entries(dropped).filter(([, number]) => number > 0);
  return parts.length === 0 ? 'none' : parts.map(([reason, number]) => `${reason} ${number}`).join(', ');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
