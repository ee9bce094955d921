import { parseArgs } from 'node:util';
import { writeAtomically } from '../../src/base/atomic-file.ts';
import { generateTasks } from './generator.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    out: { type: 'string' },
  },
});
const count = Number(values.count);
const seed = Number(values.seed);
if (!Number.isInteger(count) || count < 1 || !Number.isInteger(seed) || values.out === undefined) {
  console.error(
    'Usage: node examples/word-problems/generate.ts --out FILE [--count N] [--seed N], N whole numbers, count ≥ 1',
  );
  process.exitCode = 2;
} else {
  const tasks = generateTasks({ count, seed });
  await writeAtomically(values.out, `${tasks.map((task) => JSON.stringify(task)).join('\n')}\n`);
  console.log(`${tasks.length} word problems written to ${values.out}`);
}
