import { seededRandom, seedFrom } from '../../../base/random.ts';
import { harnessFromFiles } from '../../../harness/parse-harness.ts';
import { evaluateExpression } from '../../../rollout/tools/evaluate-expression.ts';
import { numericVerifier } from '../../../task/numeric-verifier.ts';
import type { Task } from '../../../task/task.ts';
import { arithmeticMove, inTheHead, latestValue, misread, numberIn } from '../actor/arithmetic.ts';
import { passedTexts } from '../actor/call-form.ts';
import type { Move } from '../actor/move.ts';
import type { ActorMind } from '../actor/scripted-actor.ts';
import type { SeenRequest } from '../actor/seen-request.ts';
import type { LabScenario } from './lab-scenario.ts';
import { labTask } from './lab-task.ts';

/** What every billing harness has in common: protocol, feedback, the calculator and a first example. `outputCharacters`: of the calculator. */
export function billingFiles(name: string, { outputCharacters }: { outputCharacters: number }) {
  return {
    'harness.yaml': `name: ${name}
protocol:
  dialect: { kind: fenced, open: tool, body: call }
answer: { from: text }
limits: { turns: 9, tokensPerTurn: 200 }
sampling: { temperature: 0 }
`,
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
limits: { wallMs: 10000, outputCharacters: ${outputCharacters} }
`,
    'examples/01-pens.yaml': `problem: "Bill 2 pens at 3. How much is it?"
steps:
  - call: { tool: calculator, arguments: { expression: "2 * 3" } }
    result: "6"
  - text: "Total: 6"
`,
  };
}

const FILES = {
  ...billingFiles('orders', { outputCharacters: 8 }),
  'prompts/system.md': `You bill orders step by step, one call after the other.
Tools:
{{tools}}
{{skills}}
Always use a tool for every step.
`,
  'prompts/tool-result.md': 'Value: {{result}}\n',
  'skills/billing/SKILL.md': `To bill an order:
1. Multiply quantity and price, one call for each line.
2. Add the lines.
3. Take the discount from the sum: sum * (100 - discount) / 100.
4. Add the delivery.
`,
  'examples/02-cups.yaml': `problem: "Bill 5 cups at 4. How much is it?"
steps:
  - call: { tool: calculator, arguments: { expression: "5 * 4" } }
    result: "20"
  - text: "Total: 20"
`,
  'memory.yaml': 'historyTokens: 260\n',
  'retry.yaml': 'parseErrors: 2\ntoolErrors: 2\nmodelErrors: 3\n',
};

const ORDER =
  /Bill (\d+) (\w+) at (\d+), (\d+) (\w+) at (\d+) and (\d+) (\w+) at (\d+), with a discount of (\d+) percent and a delivery of (\d+)\. How much is it\?/;
const SMALL_ORDER = /Bill (\d+) (\w+) at (\d+)\. How much is it\?/;
const GOODS = 'lamps chairs tables shelves rugs vases clocks stools'.split(' ');

interface Order {
  lines: [quantity: string, price: string][];
  discount: string;
  delivery: string;
}

function readOrder(seen: SeenRequest, problem: string): Order | null {
  const match = ORDER.exec(problem);
  if (match === null) return null;
  const numbers = misread(
    seen,
    match.slice(1).filter((part) => /^\d+$/.test(part)),
  ) as [string, string, string, string, string, string, string, string];
  const [a, x, b, y, c, z, discount, delivery] = numbers;
  return {
    lines: [
      [a, x],
      [b, y],
      [c, z],
    ],
    discount,
    delivery,
  };
}

/** Steps of the billing routine in the order in which the request names them, or as a full worked example goes. */
function routineIn({ lines, examples }: SeenRequest): Step[] {
  const named = lines.flatMap((line): Step[] => {
    if (/one call for each line/i.test(line)) return ['lines'];
    if (/add the lines/i.test(line)) return ['sum'];
    if (/discount from the sum/i.test(line)) return ['discount'];
    return /add the delivery/i.test(line) ? ['delivery'] : [];
  });
  if (named.length > 0) return named;
  const worked = lines.map(stepsOfWorked).find((steps) => steps.length > 2);
  if (worked !== undefined) return worked;
  return examples.some(({ turns }) => turns.length > 5) ? ['lines', 'sum', 'discount', 'delivery'] : [];
}

/** Steps of a worked routine that lists its calls in one line. */
function stepsOfWorked(line: string): Step[] {
  const expressions = line.split(', then ').flatMap((part) => /"expression"\s*:\s*"([^"]+)"/.exec(part)?.[1] ?? []);
  const steps = expressions.map((expression): Step => {
    if (/^[\w.]+ \* [\w.]+$/.test(expression)) return 'lines';
    if (expression.split('+').length > 2) return 'sum';
    return expression.includes('(100 -') ? 'discount' : 'delivery';
  });
  return [...new Set(steps)];
}

type Step = 'lines' | 'sum' | 'discount' | 'delivery';

/** A call of the actor that stands in the request, with the value that came back. */
interface Done {
  expression: string;
  value: string;
}

function doneIn({ exchanges }: SeenRequest): Done[] {
  return exchanges.flatMap(({ turn, answer, isError }) => {
    const value = numberIn(answer);
    const expression = passedTexts(turn).find((text) => /\d\s*[-+*/]/.test(text));
    return isError || value === null || expression === undefined ? [] : [{ expression, value }];
  });
}

function isStep(step: Step, { delivery }: Order, { expression }: Done): boolean {
  if (step === 'lines') return /^\d+ \* \d+$/.test(expression);
  if (step === 'sum') return expression.split('+').length > 2;
  return step === 'discount' ? expression.includes('(100 -') : new RegExp(`^[\\d.]+ \\+ ${delivery}$`).test(expression);
}

/** The next step of the routine, judged by what is still to be seen of the steps before. */
function decide(seen: SeenRequest, problem: string): Move {
  const order = readOrder(seen, problem);
  if (order === null) return smallOrder(seen, problem);
  const routine = routineIn(seen);
  const done = doneIn(seen);
  const last = seen.exchanges.at(-1);
  if (last !== undefined && !last.isError && numberIn(last.answer) === null) return unanswered(seen, order);
  if (routine.length === 0) return withoutRoutine(seen, order);
  const reached = routine.findLastIndex((step) => done.some((call) => isStep(step, order, call)));
  const current = routine[reached];
  const missing = current === 'lines' ? missingLine(order, done) : undefined;
  if (missing !== undefined) return arithmeticMove(seen, missing);
  const next = routine[reached + 1];
  if (next === undefined) return { kind: 'answer', value: latestValue(seen) ?? inTheHead(seen, order.delivery) };
  return arithmeticMove(seen, expressionOf(next, order, done));
}

function missingLine({ lines }: Order, done: readonly Done[]): string | undefined {
  return lines
    .map(([quantity, price]) => `${quantity} * ${price}`)
    .find((expression) => !done.some((call) => call.expression === expression));
}

function expressionOf(step: Step, order: Order, done: readonly Done[]): string {
  const latest = done.at(-1)?.value ?? order.lines[0]?.[1] ?? '1';
  if (step === 'lines') return missingLine(order, []) ?? '1 * 1';
  if (step === 'discount') return `${latest} * (100 - ${order.discount}) / 100`;
  if (step === 'delivery') return `${latest} + ${order.delivery}`;
  const values = done.filter((call) => isStep('lines', order, call)).map(({ value }) => value);
  return (values.length > 2 ? values : order.lines.map(([, price]) => price)).join(' + ');
}

/** Nobody says how orders are billed: it adds the prices. */
function withoutRoutine(seen: SeenRequest, { lines }: Order): Move {
  const value = latestValue(seen);
  return value === null ? arithmeticMove(seen, lines.map(([, price]) => price).join(' + ')) : { kind: 'answer', value };
}

/** A call came back without a value: it tries once more, then makes one up. */
function unanswered(seen: SeenRequest, { lines, delivery }: Order): Move {
  if (seen.exchanges.length < 3) return arithmeticMove(seen, lines[0]?.join(' * ') ?? '1 * 1');
  return {
    kind: 'answer',
    value: inTheHead(seen, `${lines.map((line) => line.join(' * ')).join(' + ')} + ${delivery}`),
  };
}

function smallOrder(seen: SeenRequest, problem: string): Move {
  const [, quantity = '1', , price = '1'] = SMALL_ORDER.exec(problem) ?? [];
  const value = latestValue(seen);
  return value === null ? arithmeticMove(seen, `${quantity} * ${price}`) : { kind: 'answer', value };
}

/** How orders are billed by who reads the routine and keeps in mind what the request still shows. */
export const billing: ActorMind = {
  understands: (text) => (ORDER.exec(text) ?? SMALL_ORDER.exec(text))?.[0] ?? null,
  decide,
};

/** Order number `index` of a stream. */
export function billingTask(stream: string, index: number): Task {
  const random = seededRandom(seedFrom(stream, index));
  const goods = random.shuffled(GOODS);
  const lines = [0, 1, 2].map(() => [3 + random.below(17), 10 * (2 + random.below(28))] as const);
  const [discount, delivery] = [10 + 10 * random.below(3), 12 + random.below(30)];
  const parts = lines.map(([quantity, price], at) => `${quantity} ${goods[at]} at ${price}`);
  const problem = `Bill ${parts[0]}, ${parts[1]} and ${parts[2]}, with a discount of ${discount} percent and a delivery of ${delivery}. How much is it?`;
  const values = lines.map(([quantity, price]) => quantity * price);
  const sum = values.reduce((total, value) => total + value, 0);
  const reduced = evaluateExpression(`${sum} * (100 - ${discount}) / 100`);
  const answer = evaluateExpression(`${reduced} + ${delivery}`);
  const expressions = [
    ...lines.map(([quantity, price]) => `${quantity} * ${price}`),
    values.join(' + '),
    `${sum} * (100 - ${discount}) / 100`,
    `${reduced} + ${delivery}`,
  ];
  const calls = expressions.map((expression) => ({ tool: 'calculator', arguments: { expression } }));
  return labTask({ id: `${stream}-${index}`, problem, answer, reference: { calls, text: `Total: ${answer}` } });
}

/** Billing over many turns: facts come back one by one and are needed later. */
export const orders: LabScenario = {
  name: 'orders',
  harness: harnessFromFiles(new Map(Object.entries(FILES))),
  verifier: numericVerifier(),
  mind: billing,
  task: (index) => billingTask('orders', index),
};
