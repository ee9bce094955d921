import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentHash } from '../base/content-hash.ts';
import { numericVerifier } from './numeric-verifier.ts';
import { statedNumber } from './stated-number.ts';
import type { Task } from './task.ts';

const taskOf = (answer: Task['answer'], problem = 'How many?'): Task => ({
  id: 't',
  problem,
  answer,
  hash: contentHash([problem, answer]),
  group: 'g',
});

async function scoreOf(gold: Task['answer'], answer: string | null, problem?: string): Promise<number> {
  const verdict = await numericVerifier().verify(taskOf(gold, problem), answer);
  if (verdict.kind !== 'scored') throw new Error(verdict.why);
  return verdict.score;
}

describe('numericVerifier', () => {
  it.each([
    ['1250', 'She has 1,250 apples.'],
    ['12', '12.0'],
    ['12', '24/2'],
    ['8', '5 + 3 = 8'],
    ['15', '5 × 3 = 15.'],
    ['-5', 'It is −5 degrees.'],
    ['5', '10-5'],
    ['0.75', '3/4 of the cake'],
    ['2.5', '2½ cups'],
    ['3.5', '3 1/2'],
    ['5.5', 'They cost $5.50 together.'],
    ['0.1', '10%'],
    ['0.33333', '1/3'],
    ['25', 'The area is 25 cm²'],
    ['25', 'The area is 25 cm^2'],
    ['9', 'The answer is 9. There were 4 children.'],
    ['8', 'The answer is 5 + 3 = 8, for 2 days.'],
    ['72', 'Some text 5\n#### 72'],
    ['3/4', 'so \\boxed{\\frac{3}{4}} after 2 steps'],
    ['4', '<think>maybe 7</think> 4'],
    ['9', '９'],
    [42, '42 marbles'],
    ['$1,000', '1000 dollars'],
  ])('accepts for the gold %j the answer %j', async (gold, answer) => {
    expect(await scoreOf(gold, answer)).toBe(1);
  });

  it.each([
    ['12', '11.9999'],
    ['12', '120'],
    ['12', ''],
    ['12', 'twelve'],
    ['5', '-5'],
    ['0.75', '0.7499'],
    ['10', '10%'],
    ['5', '<think>the answer is 5'],
    ['2', 'H2O and CO2'],
    ['1', '1,23'],
    ['3', 'The answer is 4. Not 3'],
    ['5', '5 / 0'],
  ])('refuses for the gold %j the answer %j', async (gold, answer) => {
    expect(await scoreOf(gold, answer)).toBe(0);
  });

  it('reads 10% as 10 only where the question asks for a percentage', async () => {
    const question = 'There are 20 cars and 2 are red. What percentage of the cars is red?';
    expect(await scoreOf('10', '10%', question)).toBe(1);
    expect(await scoreOf('10%', '10', question)).toBe(1);
    expect(await scoreOf('10', '10%', 'A coat is 10 percent off. How many dollars does it cost?')).toBe(0);
  });

  it('tolerates a relative error of 1e-4 only where the gold is no integer', async () => {
    expect(await scoreOf('3.3333', '3.3336')).toBe(1);
    expect(await scoreOf('3.3333', '3.3337')).toBe(0);
    expect(await scoreOf('30000', '30001')).toBe(0);
  });

  it('leaves a task unscored whose gold is not one number: that is no fault of the answer', async () => {
    for (const gold of ['a dozen', '3 and 4', ['3'], null, '']) {
      expect(await numericVerifier().verify(taskOf(gold), '3')).toMatchObject({ kind: 'unscored' });
    }
  });

  it('gives the agent that says nothing 0', async () => {
    expect(await numericVerifier().verify(taskOf('0'), null)).toEqual({
      kind: 'scored',
      score: 0,
      extracted: null,
      why: 'no final answer',
    });
  });

  it('reads back every number in every usual way of writing it', async () => {
    const integer = fc.integer({ min: -9_999_999, max: 9_999_999 });
    const writings = (value: number) => [
      String(value),
      `The answer is ${value}.`,
      value.toLocaleString('en-US'),
      `${value}.00`,
      `${String(value).replace('-', '−')} apples`,
      `\\boxed{${value}}`,
      `${value * 3}/3`,
    ];
    await fc.assert(
      fc.asyncProperty(integer, async (value) => {
        for (const text of writings(value)) expect([text, await scoreOf(value, text)]).toEqual([text, 1]);
        expect(await scoreOf(value, String(value + 1))).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  it('never throws and stays fast, whatever the text', () => {
    const pieces = fc.array(
      fc.constantFrom(
        '1',
        '23',
        ',',
        '.',
        '/',
        '-',
        '$',
        '%',
        ' ',
        'e9',
        '\\boxed{',
        '}',
        '½',
        '<think>',
        '</think>',
        'answer is',
        '=',
        '\n',
      ),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          pieces.map((parts) => parts.join('')),
        ),
        (text) => {
          statedNumber(text);
        },
      ),
    );
    const started = performance.now();
    for (const unit of ['1', '1,', '1/', '1 ', '- ', '$', '\\boxed{', 'answer ', '1e9', '-('])
      statedNumber(unit.repeat(50_000));
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
