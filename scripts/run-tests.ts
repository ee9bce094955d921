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
import { COUNTS_FILE, remainingLines, sumCounts, type TestCounts } from './test-counts.ts';

const log = (line: string) => process.stdout.write(`${line}\n`);
const failure = (name: string, reason: string): TestCounts => ({
  passed: 0,
  failed: 1,
  failures: [{ name, reason }],
  skipped: [],
});

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
      return failure(title, `ended with exit code ${code} before there was a result`);
    }
    const counts = JSON.parse(readFileSync(file, 'utf8')) as TestCounts;
    log(
      `${title}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped.length} skipped in ${formatDuration(performance.now() - start)}`,
    );
    const ranNothing = counts.passed + counts.failed + counts.skipped.length === 0;
    if (counts.failed > 0 || (code === 0 && !ranNothing)) return counts;
    return sumCounts([counts, failure(title, ranNothing ? 'no test was found' : `ended with exit code ${code}`)]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const vitestArguments = process.argv.slice(2);
const setup = await setUp({ log });
const results: TestCounts[] = [];
if (!setup.ok) {
  results.push(failure('Set-up', `${setup.steps.at(-1)?.detail}`));
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

const counts = sumCounts(results);
// At the end, where a log that was cut still has them.
for (const line of remainingLines(counts)) log(line);
// The last line of all: other programs read it.
log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped.length} skipped`);
process.exitCode = counts.failed > 0 ? 1 : 0;
