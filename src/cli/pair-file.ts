import { join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { writeAtomically } from '../base/atomic-file.ts';
import type { ContentHash } from '../base/content-hash.ts';
import { parseJson, readTextFile } from '../base/json.ts';
import { runnerAt, runnerFrom } from '../evolution/programs-of-run.ts';
import { addressSchema, runConfigSchema } from '../evolution/run-config.ts';
import type { RunHeader } from '../evolution/start-run.ts';
import { type Pair, pairHash } from '../registry/version.ts';
import type { ProgramRunnerOptions } from '../rollout/program/program-runner.ts';

/** A pair with everything that it acts by. Folders are absolute paths. */
export interface ExportedPair extends Pair {
  /** What its engines and tools are opened from; nothing is trained by it. */
  engines: RunHeader['engines'];
  /** Where programs of MCP servers start; absent: it has none. */
  mcpDirectory?: string;
  /** Somebody's own agent, with the hash of its files; absent: our own loop. */
  runner?: { options: ProgramRunnerOptions; version: ContentHash };
}

const shape = runConfigSchema.shape;
const runnerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('command'), command: z.tuple([z.string()], z.string()), directory: z.string() }),
  z.object({ kind: z.literal('url'), url: addressSchema }),
]);

/** Version 1 knew nothing of tools and agents: such a pair is served by our own loop with the usual tools. */
const pairFileSchema = z.looseObject({
  schema: z.enum(['co-harness/pair@1', 'co-harness/pair@2']),
  harness: z.string(),
  model: z.object({ base: z.string(), adapter: z.string().nullable() }),
  engine: shape.model,
  tools: shape.tools,
  mcpDirectory: z.string().optional(),
  runner: z.object({ options: runnerSchema, version: z.string() }).optional(),
});

export function pairFileOf(folder: string): string {
  return join(folder, 'pair.json');
}

/** Folders are written relative to `folder`, so that it can be moved together with them. */
export async function writePairFile(folder: string, exported: ExportedPair): Promise<void> {
  const { harness, model, engines, mcpDirectory, runner } = exported;
  const content = {
    schema: 'co-harness/pair@2',
    pair: pairHash({ harness, model }),
    harness,
    model,
    engine: engines.model,
    ...(engines.tools === undefined ? {} : { tools: engines.tools }),
    ...(mcpDirectory === undefined ? {} : { mcpDirectory: relative(folder, mcpDirectory) }),
    ...(runner === undefined
      ? {}
      : { runner: { options: runnerFrom(folder, runner.options), version: runner.version } }),
  };
  await writeAtomically(pairFileOf(folder), `${JSON.stringify(content, null, 2)}\n`);
}

/** Throws what readTextFile and parseJson throw. */
export async function readPairFile(folder: string): Promise<ExportedPair> {
  const file = pairFileOf(folder);
  const { harness, model, engine, tools, mcpDirectory, runner } = parseJson(pairFileSchema, await readTextFile(file), {
    file,
  });
  return {
    harness: harness as ContentHash,
    model: model as Pair['model'],
    engines: {
      model: engine,
      alignment: shape.alignment.parse(undefined),
      only: 'harness',
      ...(tools === undefined ? {} : { tools }),
    },
    ...(mcpDirectory === undefined ? {} : { mcpDirectory: resolve(folder, mcpDirectory) }),
    ...(runner === undefined
      ? {}
      : { runner: { options: runnerAt(folder, runner.options), version: runner.version as ContentHash } }),
  };
}
