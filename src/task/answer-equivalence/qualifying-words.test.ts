import { describe, expect, it } from 'vitest';
import { checkAnswer } from './check-answer.ts';

function verdict(prediction: string, gold: string): string {
  return checkAnswer({ prediction, gold }).verdict;
}

describe('words around a value that take it back', () => {
  it.each([
    'It cannot be 5',
    "It can't be $5$.",
    'It can never be 5',
    'The answer cannot be 5.',
    'Any number except 5',
    'never 5',
    '5 is wrong',
    '5 wrong',
    'So $5$ is not right.',
    'The answer is 5 is false',
    'The answer is $5$, which is wrong.',
    'The answer is 5? No.',
    'If the answer is 5 then I am wrong',
    'Suppose the answer is 5. Then there is a contradiction.',
    'I do not think the answer is 5',
    'I am not sure that the answer is $5$',
    'x ≠ 5 always',
    'so we know that x != 5',
    'Say the answer is 5. Then there is a contradiction.',
    "Let's say the answer is 5",
    'If we say the answer is 5, nothing fits.',
    'I cannot say that the answer is 5',
    'I doubt that the answer is 5',
    'The answer is 5 and that is wrong because it is odd',
  ])('%s does not give 5', (prediction) => expect(verdict(prediction, '5')).not.toBe('equal'));

  it.each([
    'I think the answer is 5',
    'I am not sure, but the answer is 5.',
    'The answer is 5. If the answer is 6, the sum does not fit.',
    'The answer is 5 apples because each has one.',
    'There are 5 more than before.',
    'He needs 5 days.',
    'It is not hard to see that the total is 5.',
    '**Final Answer** 5',
    'Result: 5',
    'Thus, $x = 5$.',
    'A total of 5',
    'I would say the answer is 5.',
    'So we can say that the answer is 5.',
    'Without a doubt, the answer is 5.',
    'There is no doubt that the answer is 5.',
    'The answer is 5 since the other root is not positive.',
    'The answer is 5 because no other choice is possible, and four is wrong.',
    'He went there 5 times.',
    'The answer is 5 times.',
    'She trains 5 times a week.',
  ])('%s gives 5', (prediction) => expect(verdict(prediction, '5')).toBe('equal'));
});

describe('words around a number that make another one of it', () => {
  it.each([
    'The answer is 5 squared',
    'The answer is 5 factorial',
    'The answer is 5 halves',
    'The answer is 5 below zero',
    'The answer is 5 more than x',
    'The answer is 5; 6',
    'It costs 5 hundred dollars.',
    'So it is negative 5',
    'The answer is 5 times x',
    'That is 5 times the first one',
    'The answer is 5 times, ten',
    'It is twice 5',
    'It is the square root of 5',
    'That is 5 tenths',
    'That is 5 lakh',
    '5 cubed',
    'the ratio is 1 in 5',
    '\\(4\\) \\(5\\)',
  ])('%s does not give 5', (prediction) => expect(verdict(prediction, '5')).not.toBe('equal'));

  it('reads a percentage in words', () => {
    expect(verdict('So 50 percent are left.', '0.5')).toBe('equal');
    expect(verdict('So 50 percent are left.', '50')).toBe('different');
  });
});

describe('the letter of a choice in front of its value', () => {
  it.each([
    ['\\boxed{\\textbf{(B) } 5}', '5'],
    ['\\boxed{\\textbf{(B)}\\ \\frac12}', '0.5'],
    ['\\boxed{\\textbf{(B) } 5}', '\\text{B}'],
    ['\\boxed{\\textbf{(B) } 5}', 'B'],
  ])('%s gives %s', (prediction, gold) => expect(verdict(prediction, gold)).toBe('equal'));

  it('counts where the letter is asked for', () => {
    expect(verdict('\\boxed{\\textbf{(B) } 5}', 'C')).not.toBe('equal');
    expect(verdict('\\boxed{\\textbf{(B) } 5}', '6')).toBe('different');
  });
});
