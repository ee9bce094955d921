// npm scripts start here under whatever Node there is: packages first, then a TypeScript file under Node 24.
// Usage: node scripts/node24.mjs FILE.ts [ARGUMENT …]
import { resolve } from 'node:path';
import { ensurePackages, projectFolder, SetupError } from '../bin/packages.mjs';
import { runNode24 } from '../bin/run-node24.mjs';

const [file, ...args] = process.argv.slice(2);
try {
  await ensurePackages();
  process.exitCode = await runNode24(resolve(projectFolder, file), args, { cwd: projectFolder });
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  process.stderr.write(`co-harness: ${error.message}\n`);
  process.exitCode = 1;
}
