import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { contentHash } from '../../src/base/content-hash.ts';
import { seedHarness, sumTasks } from './scripted-world.ts';

/** Twelve made-up words before each sum, so that nothing takes the tasks for near-copies of one another. */
export function taskLines(count: number): string[] {
  return sumTasks(count).map(({ id, problem, answer, reference }) => {
    const letters = contentHash(id).replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 16)));
    const words = letters.slice(0, 60).match(/.{5}/g) ?? [];
    return JSON.stringify({ id, problem: problem.replace(/^[^:]*/, words.join(' ')), answer, reference });
  });
}

/** A user's folder: config, harness and tasks of the scripted world. `config` is YAML added to the usual one. */
export async function writeAgentFolder(
  folder: string,
  { source, tasks = taskLines(280), config = '' }: { source: string; tasks?: string[]; config?: string },
): Promise<void> {
  const files: [string, string][] = [
    [
      'co-harness.config.yaml',
      `name: sums\nmodel: { source: "${source}" }\ntasks: { path: tasks.jsonl, gate: 80, test: 40 }\nverifier: { kind: numeric }\nrounds: 1\niterations: 1\n` +
        `sizes: { miningTasks: 24, candidates: 4, screeningTasks: 24, gateGroups: 80, testTasks: 40 }\n${config}`,
    ],
    ['tasks.jsonl', `${tasks.join('\n')}\n`],
    ...[...seedHarness().files].map(([file, text]): [string, string] => [join('harness', file), text]),
  ];
  for (const [file, text] of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
}
