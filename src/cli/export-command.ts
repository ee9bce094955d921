import { existsSync } from 'node:fs';
import { chmod, cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { writeAtomically } from '../base/atomic-file.ts';
import { CoHarnessError } from '../base/errors.ts';
import { readRunHeader } from '../evolution/start-run.ts';
import { writeHarness } from '../harness/harness-folder.ts';
import { openRegistry } from '../registry/registry.ts';
import { pairHash } from '../registry/version.ts';
import { findVersion, VERSION_HELP } from './find-version.ts';
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

/** Writes harness/, adapter/ (when there is one), pair.json and serve.sh; pair.json last. */
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
  const { adapter } = version.pair.model;
  await mkdir(out, { recursive: true });
  await writeHarness(join(out, 'harness'), harness);
  if (adapter !== null) await cp(join(folder, 'adapters', adapter), join(out, 'adapter'), { recursive: true });
  await writeAtomically(join(out, 'serve.sh'), SERVE);
  await chmod(join(out, 'serve.sh'), 0o755);
  const description = {
    schema: 'co-harness/pair@1',
    pair: pairHash(version.pair),
    ...version.pair,
    engine: header.engines.model,
  };
  await writeAtomically(join(out, 'pair.json'), `${JSON.stringify(description, null, 2)}\n`);
  return { pair: pairHash(version.pair), adapter, version: version.version, seed: version.seed };
}

const SERVE = `#!/bin/sh
# Serves this pair as an OpenAI-compatible endpoint on 127.0.0.1, with the harness inside: the client sends the task as the last user
# message and gets the agent's answer. Start it in a checkout of co-harness, or where co-harness is on the PATH: nothing is
# fetched from a registry, where a package of that name may be anybody's.
exec npx --no-install co-harness serve "$(dirname "$0")" "$@"
`;
