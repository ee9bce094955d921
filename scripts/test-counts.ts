/** What one test runner did. Written as JSON by each runner, summed by run-tests.ts. */
export interface TestCounts {
  passed: number;
  failed: number;
  /** What failed, and the first line of why. */
  failures: { name: string; reason: string }[];
  /** Each test that did not run, and why; null where the name of the test or its suite says it. */
  skipped: { name: string; reason: string | null }[];
}

/** Environment variable that names the file a runner writes its counts to. */
export const COUNTS_FILE = 'CO_HARNESS_TEST_COUNTS';

export function sumCounts(all: readonly TestCounts[]): TestCounts {
  return {
    passed: all.reduce((sum, { passed }) => sum + passed, 0),
    failed: all.reduce((sum, { failed }) => sum + failed, 0),
    failures: all.flatMap(({ failures }) => failures),
    skipped: all.flatMap(({ skipped }) => skipped),
  };
}

/** Lines that name every skipped test, those of one suite with one reason as one line, and then every failed one. */
export function remainingLines({ skipped, failures }: TestCounts): string[] {
  const suites = new Map<string, number>();
  for (const { name, reason } of skipped) {
    const line = `${name.split(' > ').slice(0, -1).join(' > ') || name}${reason === null ? '' : ` (${reason})`}`;
    suites.set(line, (suites.get(line) ?? 0) + 1);
  }
  return [
    ...[...suites].map(([suite, count]) => `skipped: ${count} of ${suite}`),
    ...failures.map(({ name, reason }) => `failed: ${name}\n    ${reason}`),
  ];
}
