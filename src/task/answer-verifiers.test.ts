import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { contentHash } from '../base/content-hash.ts';
import { verifyCases } from './answer-equivalence/verify-cases.ts';
import { checkVerifierConfig, chooseVerifier, type VerifierConfig } from './choose-verifier.ts';
import { loadTasks } from './load-tasks.ts';
import { refuseBadGolds } from './refuse-bad-golds.ts';
import type { Task } from './task.ts';

const folder = mkdtempSync(join(tmpdir(), 'answer-verifiers-'));

function taskOf(answer: Task['answer'], more: Partial<Task> = {}): Task {
  return { id: 't', problem: 'How much is it?', answer, hash: contentHash(answer), group: 'g', ...more };
}

async function scoreOf(config: VerifierConfig, task: Task, answer: string | null): Promise<number | 'unscored'> {
  const verdict = await chooseVerifier(config, '.').verify(task, answer);
  return verdict.kind === 'scored' ? verdict.score : 'unscored';
}

describe('verifier kind answer', () => {
  it('scores mathematical equality, and 0 for what it cannot decide or no answer', async () => {
    expect(await scoreOf({ kind: 'answer' }, taskOf('\\frac{\\sqrt{2}}{2}'), 'So \\boxed{1/\\sqrt{2}}.')).toBe(1);
    expect(await scoreOf({ kind: 'answer' }, taskOf(12), '12.0')).toBe(1);
    expect(await scoreOf({ kind: 'answer' }, taskOf(12), '13')).toBe(0);
    expect(await scoreOf({ kind: 'answer' }, taskOf(12), null)).toBe(0);
    const undecided = await chooseVerifier({ kind: 'answer' }, '.').verify(taskOf(12), '2^{10^9}');
    expect(undecided).toMatchObject({ kind: 'scored', score: 0, why: expect.stringContaining('undecided') });
  });

  it('asks the problem whether a percentage is wanted', async () => {
    const percent = taskOf('40\\%', { problem: 'What percent of them are red?' });
    expect(await scoreOf({ kind: 'answer' }, percent, '40')).toBe(1);
    expect(await scoreOf({ kind: 'answer' }, taskOf('40\\%'), '40')).toBe(0);
  });

  it('leaves a task unscored whose gold cannot be read', async () => {
    expect(await scoreOf({ kind: 'answer' }, taskOf('\\int x'), '5')).toBe('unscored');
    expect(await scoreOf({ kind: 'answer' }, taskOf([1]), '5')).toBe('unscored');
  });
});

describe('verifier kind choice', () => {
  const config = { kind: 'choice', choices: 5 } as const;
  const capitals = taskOf('B', { fields: { choices: ['Lima', 'Port Louis', 'Oslo'] } });

  it.each([
    'C',
    '(C)',
    'c',
    'C.',
    'C) 42',
    '\\boxed{\\text{C}}',
    'The answer is (C).',
    'Answer: C because it fits',
    'I choose option C, for it fits',
    'It must be (C).',
    '**C**',
  ])('reads %s as C', async (answer) => expect(await scoreOf(config, taskOf('\\text{(C)}'), answer)).toBe(1));

  it.each([
    'B',
    'A, C',
    'C or D',
    'Z',
    'Either (B) or (C)',
    '\\boxed{C}, no: \\boxed{D}',
    'A good question',
    'C6H12',
    '<think>C',
    'It is not (C).',
    '<think>Option C?</think> No idea.',
    'The answer is not C',
  ])('does not read %s as C', async (answer) => expect(await scoreOf(config, taskOf('C'), answer)).toBe(0));

  it('compares several letters as a set', async () => {
    expect(await scoreOf(config, taskOf('A, D'), 'D and A')).toBe(1);
    expect(await scoreOf(config, taskOf('A, D'), '(A), (D)')).toBe(1);
    expect(await scoreOf(config, taskOf('A, D'), 'A')).toBe(0);
  });

  it('takes the text of a choice for its letter where the task lists the choices, and refuses letters beyond them', async () => {
    expect(await scoreOf(config, capitals, 'The answer is Port Louis.')).toBe(1);
    expect(await scoreOf(config, capitals, 'Oslo')).toBe(0);
    expect(await scoreOf(config, { ...capitals, answer: 'D' }, 'D')).toBe('unscored');
  });
});

describe('verifier kind json', () => {
  const state = taskOf({ cart: { items: ['a', 'b'], total: 10 }, open: true });

  it('compares content: keys in any order, lists in theirs, numbers by value', async () => {
    expect(await scoreOf({ kind: 'json' }, state, '{"open": true, "cart": {"total": 10.0, "items": ["a", "b"]}}')).toBe(
      1,
    );
    expect(
      await scoreOf(
        { kind: 'json' },
        state,
        'Done:\n```json\n{"open": true, "cart": {"total": 10, "items": ["a", "b"]}}\n```',
      ),
    ).toBe(1);
    for (const wrong of [
      '{"open": true, "cart": {"total": 10, "items": ["b", "a"]}}',
      '{"open": true, "cart": {"total": "10", "items": ["a", "b"]}}',
      '{"open": 1, "cart": {"total": 10, "items": ["a", "b"]}}',
      '{"open": true, "cart": {"total": 10, "items": ["a", "b"]}, "more": 1}',
      '{"open": true, "cart": {"total": 10}}',
      'not JSON',
      '<think>{"open": true, "cart": {"total": 10, "items": ["a", "b"]}}',
    ]) {
      expect([wrong, await scoreOf({ kind: 'json' }, state, wrong)]).toEqual([wrong, 0]);
    }
  });

  it('checks a state: what the gold names must hold, further keys may stand beside it', async () => {
    const partial = { kind: 'json', partial: true, unordered: true, tolerance: 0.01 } as const;
    expect(
      await scoreOf(partial, state, '{"open": true, "user": 7, "cart": {"total": 10.05, "items": ["b", "a"], "x": 1}}'),
    ).toBe(1);
    expect(await scoreOf(partial, state, '{"open": true, "cart": {"total": 10.2, "items": ["b", "a"]}}')).toBe(0);
    expect(await scoreOf(partial, state, '{"open": true, "cart": {"total": 10, "items": ["a", "a"]}}')).toBe(0);
  });

  it('says where the first difference is, and does not mistake inherited names for keys', async () => {
    const verdict = await chooseVerifier({ kind: 'json' }, '.').verify(
      state,
      '{"open": true, "cart": {"total": 11, "items": ["a", "b"]}}',
    );
    expect(verdict).toMatchObject({ score: 0, why: '/cart/total is 11, expected 10' });
    expect(await scoreOf({ kind: 'json', partial: true }, taskOf({ toString: 1 }), '{}')).toBe(0);
  });
});

describe('golds are checked when tasks are loaded', () => {
  const write = (...answers: unknown[]): string => {
    const file = join(folder, `golds-${contentHash(answers as never).slice(0, 8)}.jsonl`);
    writeFileSync(
      file,
      answers.map((answer, index) => JSON.stringify({ id: `q${index}`, problem: 'How much?', answer })).join('\n'),
    );
    return file;
  };
  const refuse = async (config: VerifierConfig, ...answers: unknown[]): Promise<void> => {
    const file = write(...answers);
    const { rows, lineOf } = await loadTasks(file);
    refuseBadGolds(checkVerifierConfig(config), rows, { file, lineOf });
  };

  it('names file, line and id of every answer that the verifier cannot use', async () => {
    await expect(refuse({ kind: 'answer' }, '5', '\\frac{1}{', '1/0')).rejects.toMatchObject({
      code: 'invalid-gold',
      message: expect.stringMatching(/:2 \(q1\).*\n.*:3 \(q2\).*divides by zero/),
      details: {
        tasks: [
          { id: 'q1', line: 2 },
          { id: 'q2', line: 3 },
        ],
      },
    });
    await expect(refuse({ kind: 'numeric' }, 5, 'five')).rejects.toThrow(/:2 \(q1\): "five": it is not one number/);
    await expect(refuse({ kind: 'choice', choices: 4 }, 'A', 'E')).rejects.toThrow(/:2 \(q1\).*from A to D/);
    await expect(refuse({ kind: 'function-calls' }, [], 'f()')).rejects.toThrow(/:2 \(q1\)/);
  });

  it('lets pass what it can use', async () => {
    await refuse({ kind: 'answer' }, '5', 7, '(1,2]', '\\text{Monday}');
    await refuse({ kind: 'numeric' }, 5, '1,250', '3/4', '12%');
    await refuse({ kind: 'exact' }, 'anything', null);
    await refuse({ kind: 'json' }, { a: 1 }, null);
  });
});

describe('verifyCases', () => {
  const fileOf = (...lines: string[]): string => {
    const file = join(folder, `cases-${contentHash(lines).slice(0, 8)}.jsonl`);
    writeFileSync(file, lines.join('\n'));
    return file;
  };

  it('judges each line under its own id or line number, with the options it knows', async () => {
    const report = await verifyCases(
      fileOf(
        '{"pred": "\\\\boxed{1/2}", "gold": "0.5", "expected": true}',
        '',
        '{"id": "p", "pred": 40, "gold": "40\\\\%", "expected": true, "options": {"question": "What percent?", "colour": 1}}',
        '{"pred": null, "gold": 3, "expected": false}',
      ),
      systemClock,
    );
    expect(report.cases.map(({ id, check }) => [id, check.verdict])).toEqual([
      [1, 'equal'],
      ['p', 'equal'],
      [4, 'different'],
    ]);
    expect(report.unknownOptions).toEqual(['colour']);
  });

  it('names file, line and field of a row of another form, and refuses an empty file', async () => {
    await expect(
      verifyCases(fileOf('{"pred": "1", "gold": "1", "expected": "yes"}'), systemClock),
    ).rejects.toMatchObject({
      code: 'invalid-data',
      details: { line: 1, fields: ['expected'] },
    });
    await expect(verifyCases(fileOf(' '), systemClock)).rejects.toMatchObject({ code: 'no-cases' });
  });
});
