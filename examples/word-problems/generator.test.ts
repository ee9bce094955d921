import { describe, expect, it } from 'vitest';
import { BUILTIN_TOOLS } from '../../src/rollout/tools/builtin-tools.ts';
import { clusterNearDuplicates } from '../../src/task/near-duplicates.ts';
import { numericVerifier } from '../../src/task/numeric-verifier.ts';
import { taskHash, taskSchema } from '../../src/task/task.ts';
import { decimalText, evaluateExpression } from './evaluate-expression.ts';
import { generateTasks, TEMPLATES } from './generator.ts';

const tasks = generateTasks({ count: 1_640, seed: 1 });

describe('generateTasks', () => {
  it('has at least 150 templates with ids of their own, and draws from all of them', () => {
    expect(new Set(TEMPLATES.map(({ id }) => id)).size).toBe(TEMPLATES.length);
    expect(TEMPLATES.length).toBeGreaterThanOrEqual(150);
    expect(new Set(tasks.map(({ group }) => group)).size).toBe(TEMPLATES.length);
  });

  it('gives tasks of the standard form with every slot filled, all different', () => {
    for (const task of tasks) {
      expect(taskSchema.parse(task)).toEqual(task);
      expect(task.problem).not.toMatch(/[{}]|undefined/);
    }
    expect(new Set(tasks.map(({ problem }) => problem)).size).toBe(tasks.length);
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
  });

  it('states answers that equal the exact value of their expression, by two independent calculators', async () => {
    const calculator = BUILTIN_TOOLS.get('calculator');
    const { signal } = new AbortController();
    for (const { answer, reference } of tasks) {
      const expression = reference?.calls[0]?.arguments.expression as string;
      expect(decimalText(evaluateExpression(expression))).toBe(answer);
      expect(await calculator?.({ expression }, signal)).toBe(answer);
      expect(reference?.text).toBe(`The answer is ${answer}.`);
    }
  });

  it('uses positive numbers that stand in the problem, and positive answers', () => {
    for (const { problem, answer, reference } of tasks) {
      expect(Number(answer)).toBeGreaterThan(0);
      const expression = reference?.calls[0]?.arguments.expression as string;
      for (const number of expression.match(/[\d.]+/g) ?? []) {
        const isConstant = number === '2' && !problem.includes('2');
        const isWritten = problem.includes(number) || problem.includes(Number(number).toFixed(2));
        expect([problem, number, isConstant || isWritten]).toEqual([problem, number, true]);
      }
    }
  });

  it('is fixed by its seed, and a smaller set is the beginning of a larger one', () => {
    expect(generateTasks({ count: 300, seed: 1 })).toEqual(tasks.slice(0, 300));
    expect(generateTasks({ count: 5, seed: 2 })).not.toEqual(tasks.slice(0, 5));
  });

  it('keeps templates apart: no near-copies across templates', () => {
    const keys = clusterNearDuplicates(tasks);
    expect(new Set(keys).size).toBe(TEMPLATES.length);
  });

  it('leaves an agent that always says the same at the floor, and a silent one at 0', async () => {
    const verifier = numericVerifier();
    const shareOf = async (answer: string | null) => {
      const verdicts = await Promise.all(
        tasks.map((task) => verifier.verify({ ...task, hash: taskHash(task), group: task.group ?? '' }, answer)),
      );
      return verdicts.filter((verdict) => verdict.kind === 'scored' && verdict.score === 1).length / tasks.length;
    };
    const counts = new Map<string, number>();
    for (const { answer } of tasks) counts.set(String(answer), (counts.get(String(answer)) ?? 0) + 1);
    const [commonest] = [...counts].sort(([, a], [, b]) => b - a)[0] as [string, number];
    expect(await shareOf(commonest)).toBeLessThan(0.04);
    expect(await shareOf('1 2 3 4 5 6 7 8 9 10 11 12')).toBeLessThan(0.04);
    expect(await shareOf(null)).toBe(0);
  });
});
