import { join } from 'node:path';
import type { ContentHash } from '../base/content-hash.ts';
import { localTrainer } from '../evolution/local-trainer.ts';
import { embeddedPool } from '../evolution/model-pool.ts';
import type { RunConfig } from '../evolution/run-config.ts';
import type { ModelPool } from '../evolution/run-context.ts';
import type { RunEngines } from '../evolution/start-run.ts';
import { untrainable } from '../evolution/trainable-weights.ts';
import { parseModelReference } from '../model/model-reference.ts';
import { openAiCompatibleBackend } from '../model/openai-compatible-backend.ts';
import { closeToolHosts, type ToolHosts } from '../rollout/tools/tool-hosts.ts';
import { openModel, trainerRoot } from './open-model.ts';
import { openToolHosts, type ToolHostsOptions } from './open-tool-hosts.ts';

/** `close` ends the models and everything that runs in the tool hosts. */
export interface OpenedEngines extends RunEngines {
  toolHosts: ToolHosts;
  close(): Promise<void>;
}

export interface OpenEnginesOptions extends ToolHostsOptions {
  signal: AbortSignal;
  /** Where an adapter lies; default: in `adapters/` of the run folder, by its hash. */
  adapterFolder?: (adapter: ContentHash) => string;
}

type EngineConfig = Pick<RunConfig, 'model' | 'alignment' | 'only' | 'tools'>;
type BareEngines = Pick<RunEngines, 'models' | 'trainer'>;

/**
 * Engines that a config names: weights on this machine with the local Python trainer, or a server that only rolls out. Throws CoHarnessError
 * `no-trainable-weights` when weights were to be trained behind a server, and what openToolHosts throws.
 */
export async function openEngines(
  config: EngineConfig,
  folder: string,
  options: OpenEnginesOptions,
): Promise<OpenedEngines> {
  // Before weights are fetched: it may refuse, and starts nothing.
  const toolHosts = openToolHosts(config.tools, options);
  const reference = parseModelReference(config.model.source);
  const engines =
    reference.kind === 'server' ? serverEngines(config, reference) : await localEngines(config, folder, options);
  const close = async () => {
    await closeToolHosts(toolHosts);
    await engines.models.close();
  };
  return { ...engines, toolHosts, close };
}

async function localEngines(config: EngineConfig, folder: string, options: OpenEnginesOptions): Promise<BareEngines> {
  const model = await openModel(config.model, options);
  const adaptersFolder = join(folder, 'adapters');
  const base = { path: model.path, hash: model.hash };
  return {
    models: embeddedPool({
      modelPath: base.path,
      base: { base: base.hash, adapter: null },
      adapterFolder: options.adapterFolder ?? ((adapter) => join(adaptersFolder, adapter)),
      config: config.model,
      python: model.python,
    }),
    trainer: localTrainer({
      python: async () => (await model.python()).python,
      trainerRoot,
      base,
      adaptersFolder,
      workFolder: join(folder, 'training'),
      settings: config.alignment,
    }),
  };
}

function serverEngines({ model, only }: EngineConfig, server: { url: string; model: string }): BareEngines {
  if (only !== 'harness') throw untrainable();
  const backend = openAiCompatibleBackend({
    ...server,
    windowTokens: model.windowTokens,
    ...(model.apiKeyVariable === undefined ? {} : { apiKeyVariable: model.apiKeyVariable }),
    ...(model.sequences === undefined ? {} : { concurrency: model.sequences }),
  });
  const models: ModelPool = { base: backend.identity, open: async () => backend, close: () => backend.close() };
  return { models, trainer: { train: () => Promise.reject(untrainable()) } };
}
