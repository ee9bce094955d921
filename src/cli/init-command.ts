import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { writeAtomically } from '../base/atomic-file.ts';
import { CoHarnessError } from '../base/errors.ts';
import { LOOP_FILES, OWN_AGENT_FILES } from './init-files.ts';

export function registerInitCommand(program: Command): void {
  program
    .command('init')
    .description('write a config, a small harness and sample tasks to start from')
    .argument('[folder]', 'where', '.')
    .option('--own-agent', 'for an agent of your own: a program that reads the harness from a folder', false)
    .action(init);
}

async function init(folder: string, { ownAgent }: { ownAgent: boolean }): Promise<void> {
  const files = ownAgent ? OWN_AGENT_FILES : LOOP_FILES;
  const existing = Object.keys(files).filter((file) => existsSync(join(folder, file)));
  if (existing.length > 0) {
    throw new CoHarnessError(
      'no-overwrite',
      `${folder} already holds ${existing.join(', ')}; nothing was written. Choose an empty folder.`,
    );
  }
  for (const [file, content] of Object.entries(files)) await writeAtomically(join(folder, file), content);
  process.stdout.write(
    `Wrote ${Object.keys(files).length} files to ${folder}.\n` +
      (ownAgent ? 'Put your agent in the place of agent.mjs (runner.command in the config starts it).\n' : '') +
      'Replace the three samples in tasks.jsonl by your tasks, 300 or more, then:\n' +
      `  npx co-harness run ${folder}\n`,
  );
}
