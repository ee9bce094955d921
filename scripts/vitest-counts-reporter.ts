import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter } from 'vitest/node';
import { COUNTS_FILE, type TestCounts } from './test-counts.ts';

/**
 * Writes the counts of a Vitest run. A file that cannot be loaded, a failed hook and an error outside any test count as one failure
 * each: the run must not look green because fewer tests were found.
 */
export default class CountsReporter implements Reporter {
  readonly onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (modules, unhandledErrors) => {
    const counts: TestCounts = { passed: 0, failed: 0, failures: [], skipped: [] };
    const fail = (name: string, errors: readonly { message: string }[]) => {
      counts.failed += 1;
      counts.failures.push({ name, reason: errors[0]?.message.split('\n')[0] ?? 'no reason was given' });
    };
    for (const error of unhandledErrors) fail('outside any test', [error]);
    for (const module of modules) {
      const file = relative(process.cwd(), module.moduleId);
      for (const error of module.errors()) fail(file, [error]);
      for (const suite of module.children.allSuites())
        for (const error of suite.errors()) fail(`${file} > ${suite.fullName}`, [error]);
      for (const test of module.children.allTests()) {
        const outcome = test.result();
        const name = `${file} > ${test.fullName}`;
        if (outcome.state === 'passed') counts.passed += 1;
        else if (outcome.state === 'failed') fail(name, outcome.errors);
        else {
          const note = outcome.state === 'skipped' ? outcome.note : undefined;
          counts.skipped.push({ name, reason: note ?? null });
        }
      }
    }
    const file = process.env[COUNTS_FILE];
    if (file) writeFileSync(file, JSON.stringify(counts));
  };
}
