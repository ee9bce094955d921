import { seededRandom, seedFrom } from '../../../base/random.ts';
import { harnessFromFiles } from '../../../harness/parse-harness.ts';
import { evaluateExpression } from '../../../rollout/tools/evaluate-expression.ts';
import { numericVerifier } from '../../../task/numeric-verifier.ts';
import { arithmeticMove, latestValue, misread } from '../actor/arithmetic.ts';
import type { SeenRequest } from '../actor/seen-request.ts';
import type { LabScenario } from './lab-scenario.ts';
import { labTask } from './lab-task.ts';

const FILES = {
  'harness.yaml': `name: workshop
protocol:
  dialect: { kind: tags, open: <call>, close: </call>, body: call }
answer: { from: text }
limits: { turns: 5, tokensPerTurn: 240 }
sampling: { temperature: 0 }
`,
  'prompts/system.md': `You work out quantities for a workshop.
Tools:
{{tools}}
To call a tool, write <call>{"name": "TOOL", "arguments": {"ARGUMENT": "VALUE"}}</call>
Always let a tool do the arithmetic.
When you have the result, reply with: Answer: NUMBER
{{skills}}
`,
  'prompts/task.md': 'Question: {{problem}}\n',
  'prompts/tool-result.md': 'Result: {{result}}\n',
  'prompts/error-feedback.md': 'Error: {{problem}}. Correct it and write the call again.\n',
  'tools/calculator/tool.yaml': `name: calculator
description: Evaluates an arithmetic expression and gives its value.
parameters:
  type: object
  properties:
    expression: { type: string, description: "Numbers, + - * / and brackets, for example (3 + 4) * 2" }
  required: [expression]
  additionalProperties: false
backend: { kind: builtin, name: calculator }
limits: { wallMs: 10000, outputCharacters: 8 }
`,
  'skills/packed-goods/SKILL.md': `Packed goods are counted by their contents:
A crate holds 24 pieces.
A reel holds 40 metres.
`,
  'skills/working-hours/SKILL.md': `Time is counted in hours:
A shift lasts 6 hours.
`,
  'retry.yaml': 'parseErrors: 2\ntoolErrors: 2\nmodelErrors: 3\n',
};

interface Template {
  text(a: number, b: number, c: number): string;
  pattern: RegExp;
  /** `unit` stands for what a routine says of the packed unit. */
  expression: string;
  unit?: { pattern: RegExp; value: number };
}

const CRATE = { pattern: /crate holds (\d+)/, value: 24 };
const REEL = { pattern: /reel holds (\d+)/, value: 40 };
const SHIFT = { pattern: /shift lasts (\d+)/, value: 6 };

const TEMPLATES: readonly Template[] = [
  {
    text: (a, b) => `The workshop has ${a} hinges and makes ${b} more. How many hinges are there?`,
    pattern: /has (\d+) hinges and makes (\d+) more\. How many hinges are there\?/,
    expression: 'a + b',
  },
  {
    text: (a, b, c) => `There are ${a} trays with ${b} screws each, and ${c} screws are bent. How many are straight?`,
    pattern: /are (\d+) trays with (\d+) screws each, and (\d+) screws are bent\. How many are straight\?/,
    expression: 'a * b - c',
  },
  {
    text: (a, b) => `The store has ${a} crates of bolts and ${b} loose bolts. How many bolts are there?`,
    pattern: /has (\d+) crates of bolts and (\d+) loose bolts\. How many bolts are there\?/,
    expression: 'a * unit + b',
    unit: CRATE,
  },
  {
    text: (a, b) => `The store has ${a} reels of wire, and ${b} metres are cut off. How many metres are left?`,
    pattern: /has (\d+) reels of wire, and (\d+) metres are cut off\. How many metres are left\?/,
    expression: 'a * unit - b',
    unit: REEL,
  },
  {
    text: (a, b, c) => `In ${c} hours ${a} workers each make ${b} brackets an hour. How many brackets is that?`,
    pattern: /In (\d+) hours (\d+) workers each make (\d+) brackets an hour\. How many brackets is that\?/,
    expression: 'a * b * c',
  },
  {
    text: (a, b) => `In one shift ${a} workers each make ${b} frames an hour. How many frames is that?`,
    pattern: /In one shift (\d+) workers each make (\d+) frames an hour\. How many frames is that\?/,
    expression: 'a * b * unit',
    unit: SHIFT,
  },
];

function filled(expression: string, numbers: readonly (string | undefined)[], unit: string): string {
  return expression.replace(/unit|[abc]/g, (name) => (name === 'unit' ? unit : (numbers['abc'.indexOf(name)] ?? '0')));
}

function numbersOf({ pattern }: Template, problem: string): string[] | null {
  const match = pattern.exec(problem);
  return match === null ? null : match.slice(1);
}

function decide(seen: SeenRequest, problem: string) {
  const template = TEMPLATES.find((one) => numbersOf(one, problem) !== null) as Template;
  const numbers = misread(seen, numbersOf(template, problem) ?? []);
  const known = template.unit === undefined ? '' : unitIn(seen, template.unit.pattern);
  const value = latestValue(seen);
  if (value !== null) return { kind: 'answer' as const, value };
  return arithmeticMove(seen, filled(template.expression, numbers, known));
}

/** What routines or worked examples say of a unit; a round number where nobody says anything. */
function unitIn(seen: SeenRequest, pattern: RegExp): string {
  return seen.lines.flatMap((line) => pattern.exec(line)?.[1] ?? [])[0] ?? '10';
}

/** Word problems with a calculator: one call, some of them with a fact that only a routine knows. */
export const workshop: LabScenario = {
  name: 'workshop',
  harness: harnessFromFiles(new Map(Object.entries(FILES))),
  verifier: numericVerifier(),
  mind: {
    understands: (text) => TEMPLATES.flatMap(({ pattern }) => pattern.exec(text)?.[0] ?? [])[0] ?? null,
    decide,
  },
  task: (index) => {
    const random = seededRandom(seedFrom('workshop', index));
    const template = TEMPLATES[index % TEMPLATES.length] as Template;
    const [a, b, c] = [12 + random.below(40), 11 + random.below(60), 2 + random.below(9)];
    const problem = template.text(a, b, c);
    const expression = filled(template.expression, numbersOf(template, problem) ?? [], String(template.unit?.value));
    const answer = evaluateExpression(expression);
    return labTask({
      id: `workshop-${index}`,
      problem,
      answer,
      reference: { calls: [{ tool: 'calculator', arguments: { expression } }], text: `Answer: ${answer}` },
    });
  },
};
