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
    const counts: TestCounts = { passed: 0, failed: unhandledErrors.length, skipped: [] };
    for (const module of modules) {
      counts.failed += module.errors().length;
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const outcome = test.result();
        if (outcome.state === 'passed') counts.passed += 1;
        else if (outcome.state === 'failed') counts.failed += 1;
        else {
          const file = relative(process.cwd(), module.moduleId);
          const note = outcome.state === 'skipped' ? outcome.note : undefined;
          counts.skipped.push({ name: `${file} > ${test.fullName}`, reason: note ?? null });
        }
      }
    }
    const file = process.env[COUNTS_FILE];
    if (file) writeFileSync(file, JSON.stringify(counts));
  };
}
