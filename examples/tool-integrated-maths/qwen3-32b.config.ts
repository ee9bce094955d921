import { defineConfig } from '../../src/index.ts';
import { paperSchedule } from './paper-schedule.ts';

/** vllm serve Qwen/Qwen3-32B --tensor-parallel-size 4 --enable-auto-tool-choice --tool-call-parser hermes --reasoning-parser qwen3 */
export default defineConfig(
  paperSchedule({
    name: 'Qwen3-32B',
    gpus: 4,
    weights: { billions: 32.8, layers: 64, keyValueHeads: 8, headSize: 128 },
  }),
);
