import { existsSync } from 'node:fs';
import { chmod, cp, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { writeAtomically } from '../base/atomic-file.ts';
import { CoHarnessError } from '../base/errors.ts';
import { runnerAt, runnerOfRun } from '../evolution/programs-of-run.ts';
import { requirePrograms } from '../evolution/refuse-unusable.ts';
import { addressSchema, type RunConfig } from '../evolution/run-config.ts';
import { hasMcpPrograms, type RunHeader, readRunHeader } from '../evolution/start-run.ts';
import { writeHarness } from '../harness/harness-folder.ts';
import { openRegistry } from '../registry/registry.ts';
import { type Pair, pairHash } from '../registry/version.ts';
import { findVersion, VERSION_HELP } from './find-version.ts';
import { type ExportedPair, writePairFile } from './pair-file.ts';
import { findRun, withJournal } from './run-folders.ts';

export function registerExportCommand(program: Command): void {
  program
    .command('export')
    .description('a folder with harness, adapter and a script that serves the pair')
    .argument('[version]', VERSION_HELP, 'champion')
    .option('--run <run>', 'run name or folder; default: the newest')
    .option('--out <folder>', 'where; must not exist yet', 'exported')
    .option('--json', 'as JSON (schema co-harness/export@1)')
    .action(async (reference: string, options: { run?: string; out: string; json?: boolean }) => {
      const { name, folder } = findRun(options.run);
      if (existsSync(options.out)) {
        throw new CoHarnessError(
          'no-overwrite',
          `${options.out} exists already; nothing was written. Name another folder with --out.`,
        );
      }
      const pair = await exportPair(folder, reference, options.out);
      const result = { schema: 'co-harness/export@1', run: name, out: options.out, ...pair };
      if (options.json) process.stdout.write(`${JSON.stringify(result)}\n`);
      else
        process.stdout.write(
          `Exported pair ${result.pair.slice(0, 8)} (v${result.version}) to ${options.out}. Serve it: sh ${options.out}/serve.sh\n`,
        );
    });
}

/** Writes harness/, adapter/ (when there is one), serve.sh and pair.json; pair.json last. Nothing where the pair could not be served. */
async function exportPair(
  folder: string,
  reference: string,
  out: string,
): Promise<{ pair: string; adapter: string | null; version: number; seed: number }> {
  const { header, version, harness } = await withJournal(folder, async (journal) => {
    const registry = openRegistry(join(folder, 'registry'), journal);
    const found = await findVersion(registry, reference);
    return {
      header: await readRunHeader(journal),
      version: found,
      harness: await registry.harness(found.pair.harness),
    };
  });
  const exported = await servable(header, folder, version.pair);
  const { adapter } = version.pair.model;
  await mkdir(out, { recursive: true });
  await writeHarness(join(out, 'harness'), harness);
  if (adapter !== null) await cp(join(folder, 'adapters', adapter), join(out, 'adapter'), { recursive: true });
  await writeAtomically(join(out, 'serve.sh'), SERVE);
  await chmod(join(out, 'serve.sh'), 0o755);
  await writePairFile(out, exported);
  return { pair: pairHash(version.pair), adapter, version: version.version, seed: version.seed };
}

/** What a pair of a run acts by. Throws what runnerOfRun throws, and CoHarnessError `program-missing` where an agent or an MCP server of the run could not be started. */
async function servable(header: RunHeader, folder: string, pair: Pair): Promise<ExportedPair> {
  const tools = withoutValues(header.engines.tools);
  refusePasswords([header.runner, ...Object.values(tools?.mcp ?? {})]);
  // Runs from before it was kept: they start in the folder that the command is typed in.
  const mcpDirectory = header.mcpDirectory === undefined ? process.cwd() : resolve(folder, header.mcpDirectory);
  const options = header.runner === undefined ? undefined : runnerAt(folder, header.runner);
  const directories = { runner: options?.kind === 'command' ? options.directory : '', mcp: mcpDirectory };
  requirePrograms({ runner: options, tools }, directories);
  const runner = runnerOfRun(header, folder, { tell: (text) => process.stderr.write(`${text}\n`) });
  await runner?.close();
  return {
    ...pair,
    engines: { ...header.engines, ...(tools === undefined ? {} : { tools }) },
    ...(hasMcpPrograms(header.engines) ? { mcpDirectory } : {}),
    ...(options === undefined || runner === null ? {} : { runner: { options, version: runner.version } }),
  };
}

/** Runs from before they were refused may hold one in an address; what is exported is made to be passed on. */
function refusePasswords(programs: readonly (object | undefined)[]): void {
  if (programs.every((one) => one === undefined || !('url' in one) || addressSchema.safeParse(one.url).success)) return;
  throw new CoHarnessError(
    'invalid-address',
    'An address of this run (runner.url or tools.mcp) holds a user name or password, which pair.json would pass on. Run the agent again with an address without them, such as that of a proxy on this machine.',
  );
}

/** Runs from before names alone were allowed hold values of variables: who serves sets them. */
function withoutValues(tools: RunConfig['tools']): RunConfig['tools'] {
  if (tools === undefined) return undefined;
  const mcp = Object.entries(tools.mcp).map(([name, server]) => {
    if (!('command' in server) || server.environment === undefined || Array.isArray(server.environment)) {
      return [name, server] as const;
    }
    return [name, { ...server, environment: Object.keys(server.environment) }] as const;
  });
  return { ...tools, mcp: Object.fromEntries(mcp) };
}

const SERVE = `#!/bin/sh
# Serves this pair as an OpenAI-compatible endpoint on 127.0.0.1, with the harness inside: the client sends the task as the last user
# message and gets the agent's answer. Nothing is fetched from a registry, where a package of that name may be anybody's.
folder=$(dirname "$0")
if command -v co-harness > /dev/null; then exec co-harness serve "$folder" "$@"; fi
if grep -qs '"name": "co-harness"' package.json; then exec node bin/co-harness.mjs serve "$folder" "$@"; fi
echo 'co-harness is not on the PATH: start this in a checkout of co-harness.' >&2
exit 127
`;
