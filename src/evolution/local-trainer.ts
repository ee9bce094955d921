import { join } from 'node:path';
import { trainAdapter } from '../alignment/train-adapter.ts';
import type { ContentHash } from '../base/content-hash.ts';
import type { RunConfig } from './run-config.ts';
import type { WeightTrainer } from './run-context.ts';

/** Trainer on this machine: the Python package `coharness_trainer` as a child process. */
export function localTrainer(options: {
  /** Resolved when the first training starts, so that runs without one need no Python. */
  python: () => Promise<string>;
  trainerRoot: string;
  base: { path: string; hash: ContentHash };
  adaptersFolder: string;
  workFolder: string;
  settings: RunConfig['alignment'];
}): WeightTrainer {
  return {
    train: async ({ dataset, datasetFolder, epochs, initial, seed, onProgress, signal }) => {
      const trained = await trainAdapter({
        python: await options.python(),
        trainerRoot: options.trainerRoot,
        base: options.base,
        initialAdapter: initial === null ? null : join(options.adaptersFolder, initial),
        datasetFolder,
        outputFolder: join(options.workFolder, `${dataset.slice(0, 12)}-${seed}`),
        adaptersFolder: options.adaptersFolder,
        settings: { ...options.settings, epochs, seed },
        signal,
        onProgress,
      });
      return {
        adapter: trained.adapterHash,
        rows: trained.rows,
        firstLoss: trained.firstLoss,
        lastLoss: trained.lastLoss,
        seconds: trained.seconds,
      };
    },
  };
}
