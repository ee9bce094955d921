import { defineConfig } from '../../src/index.ts';
import { paperSchedule } from './paper-schedule.ts';

/** vllm serve Qwen/Qwen3-8B --enable-auto-tool-choice --tool-call-parser hermes --reasoning-parser qwen3 */
export default defineConfig(
  paperSchedule({
    name: 'Qwen3-8B',
    gpus: 1,
    weights: { billions: 8.2, layers: 36, keyValueHeads: 8, headSize: 128 },
  }),
);
