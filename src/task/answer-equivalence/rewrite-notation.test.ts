import { describe, expect, it } from 'vitest';
import { checkAnswer } from './check-answer.ts';
import { rewriteNotation } from './rewrite-notation.ts';

function verdict(prediction: string, gold: string): string {
  return checkAnswer({ prediction, gold }).verdict;
}

describe('usual spellings', () => {
  it.each([
    ['{3 \\over 4}', '\\frac{3}{4}'],
    ['3{1 \\over 7}', '\\frac{22}{7}'],
    ['{6 \\choose 2}', '15'],
    ['∛27', '3'],
    ['0.\\dot{3}', '\\frac13'],
    ['1\\;234', '1234'],
    ['1~234', '1234'],
    ['1{\\,}234', '1234'],
    ['1.5 x 10^3', '1500'],
    ['50 per cent', '50\\%'],
    ['12 sq ft', '12\\text{ ft}^2'],
    ['US\\$5', '\\$5'],
    ['75¢', '\\$0.75'],
    ['30\\degree', '30^\\circ'],
    ['20^\\circ\\text{C}', '20^\\circ C'],
    ['20 °C', '20\\text{ degrees Celsius}'],
    ['20\\text{ degrees}', '20\\text{ degrees Celsius}'],
    ['1 km', '1000 m'],
    ['36 km/h', '10 m/s'],
    ['2 kg', '2000 g'],
    ['x_1 = 2, x_2 = 3', '2,3'],
    ['\\{1,2\\}\\cup\\{3\\}', '\\{1,2,3\\}'],
    ['ℝ∖{0}', '\\mathbb{R}\\setminus\\{0\\}'],
    ['\\left(\\begin{array}{cc}1&2\\\\3&4\\end{array}\\right)', '\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}'],
    ['\\left[\\begin{matrix}1&2\\\\3&4\\end{matrix}\\right]', '\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}'],
    ['\\begin{pmatrix}1&2\\\\[2pt]3&4\\end{pmatrix}', '\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}'],
    ['1101_{\\text{two}}', '1101_2'],
    ['101_{(2)}', '101_2'],
    ['\\text{101}_2', '101_2'],
    ['\\large 5', '5'],
    ['\\color{red}{5}', '5'],
    ['\\textcolor{red}{5}', '5'],
    ['\\underline{5}', '5'],
    ['\u20615', '5'],
  ])('%s is %s', (prediction, gold) => expect(verdict(prediction, gold)).toBe('equal'));

  it.each([
    ['\\not= 5', '5'],
    ['20^\\circ C', '20^\\circ F'],
    ['5\\text{ degrees Celsius}', '5\\text{ degrees Fahrenheit}'],
    ['1 km', '1001 m'],
    ['2 kg', '2000 m'],
    ['x_1 = 2, x_2 = 3', 'x_1 = 3, x_2 = 2'],
    ['\\{1,2\\}\\cup\\{3\\}', '\\{1,2\\}'],
    ['101_{(2)}', '101_3'],
    ['0x=0', 'x=5'],
    ['0x<1', 'x<5'],
  ])('%s is not %s', (prediction, gold) => expect(verdict(prediction, gold)).not.toBe('equal'));

  it('takes time in proportion to the text', () => {
    const start = performance.now();
    for (const piece of [
      '{',
      '\\over',
      '{a\\over',
      '\\color{',
      '_{',
      '\\begin{array}{',
      '\\left(',
      '^\\circ',
      '\\\\[',
      '\\underline{',
    ])
      rewriteNotation(piece.repeat(4_000));
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});

describe('functions that break far from zero', () => {
  it.each([
    ['|x+1000|', 'x+1000'],
    ['|x-10^{9}|', '10^9-x'],
    ['\\sqrt{(x+100)^2}', 'x+100'],
    ['\\frac{|x-50|+x-50}{2}', '0'],
    ['|x^2+1-10^{6}|', '10^6-1-x^2'],
    ['|x-y-10000|', '10000+y-x'],
  ])('%s is not the function %s', (prediction, gold) => expect(verdict(prediction, gold)).toBe('different'));

  it.each([
    ['|x+1000|', '|1000+x|'],
    ['\\sqrt{(x+100)^2}', '|x+100|'],
    ['\\sqrt{4x^2+4000000}', '2\\sqrt{x^2+1000000}'],
    ['|2x-2000|', '2|1000-x|'],
  ])('%s is the function %s', (prediction, gold) => expect(verdict(prediction, gold)).toBe('equal'));
});
