import { harnessFromFiles } from '../../../harness/parse-harness.ts';
import { numericVerifier } from '../../../task/numeric-verifier.ts';
import type { LabScenario } from './lab-scenario.ts';
import { billing, billingFiles, billingTask } from './orders.ts';

const FILES = {
  ...billingFiles('ledger', { outputCharacters: 40 }),
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
