import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { writeAtomically } from '../base/atomic-file.ts';
import { type ContentHash, contentHash } from '../base/content-hash.ts';
import { parseJson, readTextFile } from '../base/json.ts';
import type { TrainerEvent } from './trainer-event.ts';
import { runTrainerProcess } from './trainer-process.ts';
import { readTrainingDataset } from './training-dataset.ts';

const JOB_VERSION = 1;

type Progress = Omit<Extract<TrainerEvent, { event: 'progress' }>, 'event'>;

/** Where an option is left out, the value below was good for a 135M model on a hundred to a few hundred rows. */
export interface AdapterSettings {
  /** LoRA rank; 16. */
  rank?: number;
  /** Output of the LoRA is scaled by alpha / rank; 32. */
  alpha?: number;
  /** [0, 0.9]; 0: a few epochs of short completions do not overfit enough to pay for the noise. */
  dropout?: number;
  /** Module names, or `['all-linear']`: every linear layer but the output head. */
  targets?: readonly string[];
  /** Peak rate; 5e-4, falling along a cosine. */
  learningRate?: number;
  /** 2. */
  epochs?: number;
  /** Rows per optimiser step; 16. */
  rowsPerBatch?: number;
  /** Share of the steps over which the rate rises; 0.05. */
  warmupShare?: number;
  /** 10: with some 10 s a step, a kill costs under two minutes. Does not change the result. */
  checkpointEverySteps?: number;
  /** CPU threads; 0 = all cores. Does not count as a different training. */
  threads?: number;
  /** 32-bit, unsigned: order of the rows and first weights of the LoRA. */
  seed: number;
}

export interface AdapterTraining {
  python: string;
  trainerRoot: string;
  /** The GGUF file that is served: the same one is trained on. `hash` is SHA-256 of the file. */
  base: { path: string; hash: ContentHash };
  /** Adapter folder (as published below) whose weights training continues from; null = fresh LoRA on the base. */
  initialAdapter: string | null;
  /** Folder of writeTrainingDataset. */
  datasetFolder: string;
  /** Work space: one sub-folder per distinct job, where a killed one continues. */
  outputFolder: string;
  /** The finished adapter is published as `<adaptersFolder>/<adapterHash>/`: `adapter.gguf`, `adapter/` (PEFT), `manifest.json`. */
  adaptersFolder: string;
  settings: AdapterSettings;
  signal?: AbortSignal;
  /** After every optimiser step. */
  onProgress?: (progress: Progress) => void;
}

export interface TrainedAdapter {
  /** SHA-256 of the GGUF adapter: what a ModelIdentity holds. */
  adapterHash: ContentHash;
  adapterFolder: string;
  adapterGguf: string;
  /** Nats per supervised token: of the first batch before any update, and the mean over the last tenth of the steps. */
  firstLoss: number;
  lastLoss: number;
  /** Of training, resumed parts included. */
  seconds: number;
  rows: number;
  tokens: number;
}

const manifestSchema = z.object({
  version: z.literal(1),
  adapterHash: z.custom<ContentHash>((value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)),
  firstLoss: z.number(),
  lastLoss: z.number(),
  seconds: z.number(),
  rows: z.int(),
  tokens: z.int(),
});

/**
 * Fine-tunes a LoRA adapter on a dataset (Co-Harness, model alignment loop, step 2). Training continues the initial adapter's own weights, it never stacks
 * a second one. A job that is finished is not run again; one that was killed continues. Rejects with AbortedError and with what
 * {@link runTrainerProcess} and {@link readTrainingDataset} reject.
 */
export async function trainAdapter(training: AdapterTraining): Promise<TrainedAdapter> {
  const dataset = await readTrainingDataset(training.datasetFolder);
  const initial = training.initialAdapter === null ? null : await readManifest(training.initialAdapter);
  const { lora, schedule, checkpointEverySteps, threads } = withDefaults(training.settings);
  const jobHash = contentHash({
    base: training.base.hash,
    initial: initial?.adapterHash ?? null,
    dataset: dataset.hash,
    lora,
    schedule,
  });
  const work = resolve(training.outputFolder, jobHash.slice(0, 16));
  if (!existsSync(join(work, 'manifest.json'))) {
    const jobFile = join(work, 'job.json');
    const job = {
      version: JOB_VERSION,
      base: { gguf: resolve(training.base.path), hash: training.base.hash },
      initialAdapter: training.initialAdapter === null ? null : resolve(training.initialAdapter, 'adapter'),
      rows: resolve(training.datasetFolder, 'rows.jsonl'),
      output: work,
      lora,
      training: { ...schedule, checkpointEverySteps },
      threads,
    };
    await writeAtomically(jobFile, `${JSON.stringify(job, null, 2)}\n`);
    await runTrainerProcess({
      python: training.python,
      trainerRoot: training.trainerRoot,
      jobFile,
      onEvent: (event) => {
        if (event.event !== 'progress') return;
        const { event: _, ...progress } = event;
        training.onProgress?.(progress);
      },
      ...(training.signal === undefined ? {} : { signal: training.signal }),
    });
  }
  return publish(work, training.adaptersFolder);
}

function withDefaults(settings: AdapterSettings) {
  return {
    lora: {
      rank: settings.rank ?? 16,
      alpha: settings.alpha ?? 32,
      dropout: settings.dropout ?? 0,
      targets: settings.targets ?? ['all-linear'],
    },
    schedule: {
      epochs: settings.epochs ?? 2,
      learningRate: settings.learningRate ?? 5e-4,
      rowsPerBatch: settings.rowsPerBatch ?? 16,
      warmupShare: settings.warmupShare ?? 0.05,
      seed: settings.seed,
    },
    checkpointEverySteps: settings.checkpointEverySteps ?? 10,
    threads: settings.threads ?? 0,
  };
}

async function readManifest(folder: string): Promise<z.output<typeof manifestSchema>> {
  const file = join(folder, 'manifest.json');
  return parseJson(manifestSchema, await readTextFile(file), { file });
}

/** Copies rather than moves: a kill between here and the caller's journal must find the finished job again. */
async function publish(work: string, adaptersFolder: string): Promise<TrainedAdapter> {
  const { version: _, ...facts } = await readManifest(work);
  const adapterFolder = join(adaptersFolder, facts.adapterHash);
  if (!existsSync(join(adapterFolder, 'manifest.json'))) {
    const partial = `${adapterFolder}.${randomUUID()}.partial`;
    try {
      await mkdir(partial, { recursive: true });
      for (const name of ['adapter', 'adapter.gguf', 'manifest.json'])
        await cp(join(work, name), join(partial, name), { recursive: true });
      await rm(adapterFolder, { recursive: true, force: true });
      await rename(partial, adapterFolder);
    } finally {
      await rm(partial, { recursive: true, force: true });
    }
  }
  return { ...facts, adapterFolder, adapterGguf: join(adapterFolder, 'adapter.gguf') };
}
