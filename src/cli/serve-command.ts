import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { CoHarnessError } from '../base/errors.ts';
import { interruptSignal } from '../base/interrupt-signal.ts';
import { requirePrograms } from '../evolution/refuse-unusable.ts';
import { readUnchanged } from '../harness/harness-folder.ts';
import { pairHash } from '../registry/version.ts';
import { programRunner } from '../rollout/program/program-runner.ts';
import type { Runner } from '../rollout/rollout-job.ts';
import { openRunEngines } from './open-run-engines.ts';
import { type ExportedPair, pairFileOf, readPairFile } from './pair-file.ts';
import { pairServer } from './pair-server.ts';

export function registerServeCommand(program: Command): void {
  program
    .command('serve')
    .description('an exported pair as an OpenAI-compatible endpoint on 127.0.0.1, harness inside')
    .argument('<folder>', 'what `co-harness export` wrote')
    .option('--port <number>', 'port on 127.0.0.1; 0: any free one', portNumber, 8793)
    .action(serve);
}

function portNumber(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('Expected a port from 0 to 65535.');
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
  if (!existsSync(pairFileOf(folder))) throw noPair(folder);
  const pair = await readPairFile(folder);
  const harness = await readUnchanged(join(folder, 'harness'), pair.harness);
  await using closing = new AsyncDisposableStack();
  const runner = closing.adopt(openAgent(pair), async (agent) => agent?.close());
  const signal = interruptSignal();
  const { engines: config, harness: hash, model } = pair;
  const header = { engines: config, model: config.model.source, base: model.base };
  const engines = await openRunEngines(folder, header, signal, {
    adapterFolder: () => join(folder, 'adapter'),
    ...(pair.mcpDirectory === undefined ? {} : { directory: pair.mcpDirectory }),
  });
  closing.defer(engines.close);
  const name = pairHash({ harness: hash, model });
  const server = pairServer({
    harness,
    backend: await engines.models.open(model),
    toolHosts: engines.toolHosts,
    ...(runner === null ? {} : { runner }),
    name,
  });
  const port = await listen(server, options.port);
  process.stdout.write(`Serving pair ${name.slice(0, 8)} on http://127.0.0.1:${port}/v1 (Ctrl-C stops)\n`);
  if (!signal.aborted) await once(signal, 'abort');
  server.close();
  server.closeAllConnections();
}

/**
 * Somebody's own agent; null = our own loop. Throws CoHarnessError `program-missing` where it or an MCP server could not be started, and `runner-changed` where its files
 * are not those of the export.
 */
function openAgent({ runner, mcpDirectory, engines: { tools } }: ExportedPair): Runner | null {
  const directory = runner?.options.kind === 'command' ? runner.options.directory : '';
  if (mcpDirectory !== undefined && !existsSync(mcpDirectory)) {
    throw new CoHarnessError(
      'program-missing',
      `tools.mcp: the servers of this pair start in ${mcpDirectory}, which is not there. Put the exported folder back beside it, or export the pair again where it is.`,
      { details: { directory: mcpDirectory } },
    );
  }
  requirePrograms({ runner: runner?.options, tools }, { runner: directory, mcp: mcpDirectory ?? '' });
  if (runner === undefined) return null;
  const agent = programRunner(runner.options);
  if (agent.version === runner.version) return agent;
  throw new CoHarnessError(
    'runner-changed',
    `The agent's program in ${directory} is not the one that the pair was exported with. Put that back, or export the pair again: npx co-harness export --out FOLDER`,
    { details: { directory } },
  );
}

/** The port that it listens on, on 127.0.0.1. Rejects with what the system says. */
async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}
