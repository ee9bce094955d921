import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import type { ContentHash } from '../base/content-hash.ts';
import { CoHarnessError } from '../base/errors.ts';
import { interruptSignal } from '../base/interrupt-signal.ts';
import { parseJson, readTextFile } from '../base/json.ts';
import { runConfigSchema } from '../evolution/run-config.ts';
import { readHarness } from '../harness/harness-folder.ts';
import { wholeNumber } from '../lab/option-numbers.ts';
import { openLlamaCppBackend } from '../model/llama-cpp-backend.ts';
import { closeToolHosts } from '../rollout/tools/tool-hosts.ts';
import { openModel } from './open-model.ts';
import { openToolHosts } from './open-tool-hosts.ts';
import { pairServer } from './pair-server.ts';

const pairFileSchema = z.looseObject({
  schema: z.literal('co-harness/pair@1'),
  pair: z.string(),
  model: z.object({ base: z.string(), adapter: z.string().nullable() }),
  engine: runConfigSchema.shape.model,
});

export function registerServeCommand(program: Command): void {
  program
    .command('serve')
    .description('an exported pair as an OpenAI-compatible endpoint on 127.0.0.1, harness inside')
    .argument('<folder>', 'what `co-harness export` wrote')
    .option('--port <number>', 'port on 127.0.0.1', wholeNumber, 8793)
    .action(serve);
}

function noPair(folder: string): CoHarnessError {
  const isAgent = ['harness.yaml', 'harness'].some((name) => existsSync(join(folder, name)));
  const hint = isAgent ? '; it holds a harness, which has no weights of its own' : '';
  return new CoHarnessError(
    'no-pair',
    `${folder} holds no exported pair (pair.json)${hint}. Serve what this writes: npx co-harness export --out FOLDER`,
    { details: { folder } },
  );
}

async function serve(folder: string, options: { port: number }): Promise<void> {
  const pairFile = join(folder, 'pair.json');
  if (!existsSync(pairFile)) throw noPair(folder);
  const pair = parseJson(pairFileSchema, await readTextFile(pairFile), { file: pairFile });
  const harness = await readHarness(join(folder, 'harness'));
  const signal = interruptSignal();
  const log = (text: string) => process.stderr.write(`${text}\n`);
  const weights = await openModel(pair.engine, { signal, log });
  if (weights.hash !== pair.model.base) {
    throw new CoHarnessError(
      'model-changed',
      `The weights have hash ${weights.hash}, the pair was made with ${pair.model.base}.`,
    );
  }
  const adapterFile = join(folder, 'adapter', 'adapter.gguf');
  const backend = await openLlamaCppBackend({
    modelPath: weights.path,
    modelHash: weights.hash,
    ...(existsSync(adapterFile) ? { adapter: { path: adapterFile, hash: pair.model.adapter as ContentHash } } : {}),
    ...(pair.engine.sequences === undefined ? {} : { sequences: pair.engine.sequences }),
    windowTokens: pair.engine.windowTokens,
  });
  const toolHosts = openToolHosts(undefined, { log });
  const { port } = options;
  const server = pairServer({ harness, backend, toolHosts, name: pair.pair });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  process.stdout.write(`Serving pair ${pair.pair.slice(0, 8)} on http://127.0.0.1:${port}/v1 (Ctrl-C stops)\n`);
  if (!signal.aborted) await once(signal, 'abort');
  server.close();
  server.closeAllConnections();
  await closeToolHosts(toolHosts);
  await backend.close();
}
