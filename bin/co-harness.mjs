#!/usr/bin/env node
// Starts co-harness from a fresh clone: installs packages where they are missing, then hands over to Node 24.
import { fileURLToPath } from 'node:url';
import { ensurePackages, SetupError } from './packages.mjs';
import { runNode24 } from './run-node24.mjs';

try {
  await ensurePackages();
  process.exitCode = await runNode24(
    fileURLToPath(new URL('../src/cli/main.ts', import.meta.url)),
    process.argv.slice(2),
  );
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  process.stderr.write(`co-harness: ${error.message}\n`);
  process.exitCode = 1;
}
