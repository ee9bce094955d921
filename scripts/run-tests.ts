// `npm test`: sets up what is missing, runs Vitest and the Python unit tests, and ends with one line that sums both.
// `npm test -- ARGUMENT …` hands the arguments to Vitest and leaves the Python tests out.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectFolder, trainerFolder } from '../src/setup/project-folder.ts';
import { ensurePython } from '../src/setup/python-environment.ts';
import { setUp } from '../src/setup/set-up.ts';
import { formatDuration } from '../src/setup/timed-step.ts';
import { COUNTS_FILE, sumCounts, type TestCounts } from './test-counts.ts';

const log = (line: string) => process.stdout.write(`${line}\n`);
const failure: TestCounts = { passed: 0, failed: 1, skipped: [] };

/** The counts that a runner wrote; one failure where it died before it could, found nothing, or failed without a failed test. */
async function runCounted(
  title: string,
  command: string,
  args: string[],
  environment: NodeJS.ProcessEnv,
): Promise<TestCounts> {
  const folder = mkdtempSync(join(tmpdir(), 'co-harness-tests-'));
  const file = join(folder, 'counts.json');
  const start = performance.now();
  log(`\n${title} …`);
  try {
    const code = await new Promise<number>((resolve, reject) => {
      const child = spawn(command, args, {
        cwd: projectFolder,
        env: { ...environment, [COUNTS_FILE]: file },
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      child.on('error', reject);
      child.on('close', (exitCode) => resolve(exitCode ?? 1));
    });
    if (!existsSync(file)) {
      log(`${title} ended with exit code ${code} before it had a result.`);
      return failure;
    }
    const counts = JSON.parse(readFileSync(file, 'utf8')) as TestCounts;
    log(
      `${title}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped.length} skipped in ${formatDuration(performance.now() - start)}`,
    );
    const ranNothing = counts.passed + counts.failed + counts.skipped.length === 0;
    return (code !== 0 && counts.failed === 0) || ranNothing ? { ...counts, failed: 1 } : counts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const vitestArguments = process.argv.slice(2);
const setup = await setUp({ log });
const results: TestCounts[] = [];
if (!setup.ok) {
  log(`Set-up failed: ${setup.steps.at(-1)?.detail}`);
  results.push(failure);
} else {
  const vitest = join(projectFolder, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', `--reporter=${join(projectFolder, 'scripts', 'vitest-counts-reporter.ts')}`];
  results.push(
    await runCounted(
      'TypeScript tests',
      process.execPath,
      [vitest, 'run', ...reporters, ...vitestArguments],
      process.env,
    ),
  );
  if (vitestArguments.length === 0) {
    const { python, environment } = await ensurePython({ log });
    const script = join(projectFolder, 'scripts', 'python_tests.py');
    results.push(await runCounted('Python tests', python, [script, join(trainerFolder, 'tests')], environment));
  }
}

const { passed, failed, skipped } = sumCounts(results);
for (const { name, reason } of skipped) log(`skipped: ${name}${reason === null ? '' : ` (${reason})`}`);
// The last line of all: other programs read it.
log(`\n${passed} passed, ${failed} failed, ${skipped.length} skipped`);
process.exitCode = failed > 0 ? 1 : 0;
