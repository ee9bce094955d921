import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    // Native engines and whole processes are tested: one file at a time per core, each in a process of its own.
    pool: 'forks',
    maxWorkers: 2,
    // Only what hangs takes so long, whatever the machine and what else it does.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    passWithNoTests: false,
  },
});
