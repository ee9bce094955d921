import { type Random, seededRandom, seedFrom } from '../../src/base/random.ts';
import type { TaskRow } from '../../src/task/task.ts';
import { decimalText, evaluateExpression } from './evaluate-expression.ts';
import { ONE_STEP_ADDITION } from './templates/one-step-addition.ts';
import { ONE_STEP_DIVISION } from './templates/one-step-division.ts';
import { ONE_STEP_MULTIPLICATION } from './templates/one-step-multiplication.ts';
import { ONE_STEP_SUBTRACTION } from './templates/one-step-subtraction.ts';
import type { NumberRule, Template } from './templates/template.ts';
import { TWO_STEP } from './templates/two-step.ts';
import { PEOPLE, type Person, WORDS } from './vocabulary.ts';

export const TEMPLATES: readonly Template[] = [
  ...ONE_STEP_ADDITION,
  ...ONE_STEP_SUBTRACTION,
  ...ONE_STEP_MULTIPLICATION,
  ...ONE_STEP_DIVISION,
  ...TWO_STEP,
];

/** Draws of a template without a new problem after which its problems count as used up. */
const MOST_DRAWS = 100;

/**
 * `count` word problems from all templates in turn (a new random order each time round; the turn passes over templates
 * whose problems are used up). The template is the group. Same seed → same tasks, and the tasks of a smaller count are
 * the first ones of a larger. No two problems have the same text. The reference solution is one call of a tool named
 * `calculator` and a closing sentence. Throws Error when no template has a new problem left.
 */
export function generateTasks({ count, seed }: { count: number; seed: number }): TaskRow[] {
  const tasks: TaskRow[] = [];
  const known = new Set<string>();
  for (let turn = 0; tasks.length < count; turn++) {
    const before = tasks.length;
    for (const template of seededRandom(seedFrom('template-order', seed, turn)).shuffled(TEMPLATES)) {
      if (tasks.length === count) break;
      const task = newTask(template, seed, turn, known);
      if (task !== null) tasks.push({ ...task, id: `word-${seed}-${tasks.length}` });
    }
    if (tasks.length === before)
      throw new Error(`The templates have no more than ${before} different problems: ask for fewer.`);
  }
  return tasks;
}

type DrawnTask = Omit<TaskRow, 'id'>;

function newTask(template: Template, seed: number, turn: number, known: Set<string>): DrawnTask | null {
  for (let draw = 0; draw < MOST_DRAWS; draw++) {
    const task = drawTask(template, seededRandom(seedFrom('word-problem', seed, template.id, turn, draw)));
    if (known.has(task.problem)) continue;
    known.add(task.problem);
    return task;
  }
  return null;
}

function drawTask(template: Template, random: Random): DrawnTask {
  const numbers = drawNumbers(template, random);
  const expression = withNumbers(template.expression, numbers);
  const answer = decimalText(evaluateExpression(expression));
  if (answer === null) throw new Error(`Template ${template.id}: ${expression} is not a terminating decimal.`);
  return {
    problem: fillSlots(template, numbers, random),
    answer,
    group: template.id,
    reference: { calls: [{ tool: 'calculator', arguments: { expression } }], text: `The answer is ${answer}.` },
  };
}

type NumberTexts = Record<string, string>;

function drawNumbers(template: Template, random: Random): NumberTexts {
  const numbers: NumberTexts = {};
  for (const [name, rule] of Object.entries(template.numbers)) {
    const text = decimalText(evaluateExpression(withNumbers(drawRule(rule, random), numbers)));
    if (text === null) throw new Error(`Template ${template.id}: number ${name} is not a terminating decimal.`);
    numbers[name] = text;
  }
  return numbers;
}

/** A rule as an expression: a drawn number is least + k · step, left to exact arithmetic. */
function drawRule(rule: NumberRule, random: Random): string {
  if (typeof rule === 'string') return rule;
  const [least, greatest, step = 1] = rule;
  const steps = Math.floor((greatest - least) / step + 1e-9);
  return `${least} + ${random.below(steps + 1)} * ${step}`;
}

function withNumbers(expression: string, numbers: NumberTexts): string {
  return expression.replace(/[a-z]+/g, (name) => numbers[name] ?? name);
}

function fillSlots(template: Template, numbers: NumberTexts, random: Random): string {
  const people = random.shuffled(PEOPLE);
  const words = new Map(Object.entries(WORDS).map(([list, entries]) => [list, random.shuffled(entries)]));
  return template.problem.replace(/\{(\w+)(?:\.(\w+))?\}/g, (slot, name: string, form: string | undefined) => {
    const number = numbers[name];
    if (number !== undefined) return form === 'money' ? moneyText(number) : number;
    if (/^[ABC]$/.test(name)) return personText(people['ABC'.indexOf(name)] as Person, form);
    const [, list, ordinal] = /^([a-z]+)(\d?)$/.exec(name) ?? [];
    const word = words.get(list ?? '')?.[Number(ordinal || 1) - 1];
    if (word === undefined) throw new Error(`Template ${template.id} has the unknown slot ${slot}.`);
    return word;
  });
}

/** `3.5` → `$3.50`, `4` → `$4`. */
function moneyText(number: string): string {
  const [integer, fraction] = number.split('.');
  return fraction === undefined ? `$${number}` : `$${integer}.${fraction.padEnd(2, '0')}`;
}

const PRONOUN_FORMS: Readonly<Record<Person['pronouns'], Readonly<Record<string, string>>>> = {
  he: { he: 'he', He: 'He', his: 'his', His: 'His', him: 'him' },
  she: { he: 'she', He: 'She', his: 'her', His: 'Her', him: 'her' },
};

function personText(person: Person, form: string | undefined): string {
  if (form === undefined) return person.name;
  const text = PRONOUN_FORMS[person.pronouns][form];
  if (text === undefined) throw new Error(`Unknown pronoun form ${form}.`);
  return text;
}
