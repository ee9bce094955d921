/** What one test runner did. Written as JSON by each runner, summed by run-tests.ts. */
export interface TestCounts {
  passed: number;
  failed: number;
  /** Each test that did not run, and why; null where the name of the test or its suite says it. */
  skipped: { name: string; reason: string | null }[];
}

/** Environment variable that names the file a runner writes its counts to. */
export const COUNTS_FILE = 'CO_HARNESS_TEST_COUNTS';

export function sumCounts(all: readonly TestCounts[]): TestCounts {
  return {
    passed: all.reduce((sum, { passed }) => sum + passed, 0),
    failed: all.reduce((sum, { failed }) => sum + failed, 0),
    skipped: all.flatMap(({ skipped }) => skipped),
  };
}
