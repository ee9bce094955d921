import { harnessFromFiles } from '../../../harness/parse-harness.ts';
import { numericVerifier } from '../../../task/numeric-verifier.ts';
import type { LabScenario } from './lab-scenario.ts';
import { billing, billingTask } from './orders.ts';

const FILES = {
  'harness.yaml': `name: ledger
protocol:
  dialect: { kind: fenced, open: tool, body: call }
answer: { from: text }
limits: { turns: 9, tokensPerTurn: 200 }
sampling: { temperature: 0 }
`,
  'prompts/system.md': `You bill orders step by step, one call after the other.
Tools:
{{tools}}
Always use a tool for every step.
What is known:
{{facts}}
`,
  // Long before the value: what is cut short loses it.
  'prompts/tool-result.md':
    'The calculator worked this out in exact arithmetic and rounded nothing on the way, so that every later step can rely on it as it stands here. Value: {{result}}\n',
  'prompts/error-feedback.md': 'Error: {{problem}}. Correct it and write the call again.\n',
  'prompts/final-turn.md': 'No more calls are possible. Reply with what you have.\n',
  'tools/calculator/tool.yaml': `name: calculator
description: Evaluates an arithmetic expression and gives its value.
parameters:
  type: object
  properties:
    expression: { type: string, description: "Numbers, + - * / and brackets" }
  required: [expression]
  additionalProperties: false
backend: { kind: builtin, name: calculator }
limits: { wallMs: 10000, outputCharacters: 40 }
`,
  'examples/01-pens.yaml': `problem: "Bill 2 pens at 3. How much is it?"
steps:
  - call: { tool: calculator, arguments: { expression: "2 * 3" } }
    result: "6"
  - text: "Total: 6"
`,
  'middleware/10-repair.yaml': 'kind: argument-repair\noptions: { json: true, types: true }\n',
  'middleware/20-cap.yaml': 'kind: output-cap\noptions: { headCharacters: 240, tailCharacters: 0 }\n',
  'memory/facts.md': `To bill an order multiply quantity and price, one call for each line.
Then add the lines.
Then take the discount from the sum: sum * (100 - discount) / 100.
Then add the delivery.
`,
  'memory.yaml': 'historyTokens: 900\nstaleAfterTurns: 8\nfacts: { tokens: 60 }\n',
  'retry.yaml': 'parseErrors: 0\ntoolErrors: 2\nmodelErrors: 3\n',
};

/** Billing once more, under a φ that leans on middleware (damaged calls are mended) and memory (the routine is a fact, old results stay long enough). */
export const ledger: LabScenario = {
  name: 'ledger',
  harness: harnessFromFiles(new Map(Object.entries(FILES))),
  verifier: numericVerifier(),
  mind: billing,
  task: (index) => billingTask('ledger', index),
};
