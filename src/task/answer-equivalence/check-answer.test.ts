import { describe, expect, it } from 'vitest';
import { ANSWER_LIMITS } from './answer-limits.ts';
import { checkAnswer, goldProblem } from './check-answer.ts';

function verdict(prediction: string, gold: string, question?: string): string {
  return checkAnswer({ prediction, gold, ...(question === undefined ? {} : { question }) }).verdict;
}

const PERCENT = 'What percent of it is left?';

describe('numbers', () => {
  it.each([
    ['1,000', '1000'],
    ['1\\,000\\,000', '1{,}000{,}000'],
    ['1 000 000', '1,\\!000,\\!000'],
    ['12.0', '12'],
    ['\\frac{24}{2}', '12'],
    ['-0', '0'],
    ['.5', '0.5'],
    ['1e3', '1000'],
    ['0.5', '\\frac{1}{2}'],
    ['\\frac{-1}{2}', '-\\frac12'],
    ['\\frac{1}{-2}', '-\\frac12'],
    ['3 1/2', '\\frac72'],
    ['3\\frac12', '3.5'],
    ['-3 1/2', '-3.5'],
    ['3½', '3.5'],
    ['0.\\overline{3}', '\\frac13'],
    ['0.3333', '1/3'],
    ['3.1416', '\\pi'],
    ['5!', '120'],
    ['\\binom{5}{2}', '10'],
    ['\\lfloor 3.7 \\rfloor', '3'],
    ['|-3|', '3'],
    ['5 million', '5,000,000'],
    ['５', '5'],
    ['−5', '-5'],
    ['\\$16,\\!386.16', '16386.16'],
  ])('%s is %s', (prediction, gold) => expect(verdict(prediction, gold)).toBe('equal'));

  it.each([
    ['11.9999', '12'],
    ['12.0001', '12'],
    ['0.333', '1/3'],
    ['\\frac{3333}{10000}', '1/3'],
    ['3.14', '\\pi'],
    ['3 1/2', '31/2'],
    ['31/2', '3\\frac12'],
    ['1,23', '123'],
    ['1,234,5', '12345'],
    ['1e3', '1001'],
    ['٣', '3'],
    ['①②', '12'],
    ['5 not', '5'],
    ['5 million', '5'],
    ['x = 3 = 5', '5'],
    ['1/0', '1'],
    ['0^0', '1'],
  ])('%s is not %s', (prediction, gold) => expect(verdict(prediction, gold)).not.toBe('equal'));

  it('allows a decimal 1e-4 of a gold that is no integer, and no more', () => {
    expect(verdict('2.50025', '2.5')).toBe('equal');
    expect(verdict('2.50026', '2.5')).toBe('different');
    expect(verdict('25002.5', '25000')).toBe('different');
    // An exact form is not a decimal.
    expect(verdict('\\frac{1000001}{3000000}', '\\frac13')).toBe('different');
  });

  it('takes a percentage for the number only where the question asks for one', () => {
    expect(verdict('0.5', '50\\%')).toBe('equal');
    expect(verdict('50\\%', '\\frac12')).toBe('equal');
    expect(verdict('50', '50\\%')).toBe('different');
    expect(verdict('50\\%', '50')).toBe('different');
    expect(verdict('50', '50\\%', PERCENT)).toBe('equal');
    expect(verdict('50 percent', '50', PERCENT)).toBe('equal');
    expect(verdict('33.001\\%', '33\\%')).toBe('different');
    expect(verdict('50', '50\\%', 'How much is left? Express your answer as a percentage.')).toBe('equal');
  });

  it('compares a number in a base by value and base, and lets the base be left away only where the question names it', () => {
    expect(verdict('10_{2}', '10_2')).toBe('equal');
    expect(verdict('010_2', '10_2')).toBe('equal');
    expect(verdict('10_2', '10')).toBe('different');
    expect(verdict('10_2', '2')).toBe('different');
    expect(verdict('2', '10_2')).toBe('different');
    expect(verdict('10_3', '10_2')).toBe('different');
    expect(verdict('2_{10}', '2')).toBe('equal');
    expect(verdict('152A_{11}', '152A_{11}')).toBe('equal');
    expect(verdict('A3_{16}', 'A3_{16}')).toBe('equal');
    expect(verdict('163', 'A3_{16}')).toBe('different');
    expect(verdict('2112', '2112_6')).toBe('different');
    expect(verdict('2112', '2112_6', 'Express the sum in base 6.')).toBe('equal');
    expect(verdict('0.0011_2', '0.0011_{2}')).toBe('equal');
    expect(goldProblem('19_8')).toMatch(/no number in base 8/);
  });
});

describe('closed forms', () => {
  it.each([
    ['2\\sqrt2', '\\sqrt{8}'],
    ['\\frac{1}{\\sqrt2}', '\\frac{\\sqrt2}{2}'],
    ['\\frac{1}{2-\\sqrt3}', '2+\\sqrt3'],
    ['1+\\sqrt2', '\\sqrt{3+2\\sqrt2}'],
    ['√12', '2√3'],
    ['\\sqrt[3]{-8}', '-2'],
    ['8^{1/3}', '2'],
    ['2\\sqrt{-1}', '2i'],
    ['(1+i)^2', '2i'],
    ['e^{i\\pi}', '-1'],
    ['\\sin 30^\\circ', '\\frac12'],
    ['\\cos 15^\\circ', '\\frac{\\sqrt6+\\sqrt2}{4}'],
    ['\\cos 58^\\circ', '\\sin 32^\\circ'],
    ['\\log_2 8', '3'],
    ['3\\ln 2', '\\ln 8'],
    ['\\arctan 1', '\\frac\\pi4'],
    ['\\frac{\\pi}{2}', '90^\\circ'],
    ['\\frac{2005}{2005!}', '\\frac{1}{2004!}'],
    ['π/4', '\\frac{1}{4}\\pi'],
  ])('%s is %s', (prediction, gold) => expect(verdict(prediction, gold)).toBe('equal'));

  it.each([
    ['\\sqrt2-1', '1-\\sqrt2'],
    ['\\sqrt{12}', '4\\sqrt3'],
    ['\\frac{1}{2005!}', '\\frac{1}{2004!}'],
    ['\\sqrt2+10^{-300}', '\\sqrt2'],
    ['\\sin(1+10^{-300})', '\\sin 1'],
    ['e^{-50}', 'e^{-51}'],
    ['\\infty', '-\\infty'],
    ['10^{1000}', '\\infty'],
    ['i', '-i'],
    ['\\pi', '\\frac{355}{113}'],
    ['\\cos 58^\\circ', '\\cos 58'],
  ])('%s is not %s', (prediction, gold) => expect(verdict(prediction, gold)).toBe('different'));

  it.each([
    ['(x+1)^2', 'x^2+2x+1'],
    ['3 + x', 'x+3'],
    ['\\frac{x^2-1}{x-1}', 'x+1'],
    ['36\\sqrt{35}x\\sqrt{x}', '36x\\sqrt{35x}'],
    ['\\sin^2x+\\cos^2x', '1'],
    ['2\\sin x\\cos x', '\\sin 2x'],
    ['2\\cdot 2^n', '2^{n+1}'],
    ['(x+y)^{100}', '(y+x)^{100}'],
    ['f(1+1) + 1', '1 + f(2)'],
    ['x/2', '\\frac{1}{2} x'],
  ])('%s is the function %s', (prediction, gold) => expect(verdict(prediction, gold)).toBe('equal'));

  it.each([
    ['(x+1)^2', 'x^2+2x+2'],
    ['\\sqrt{x^2}', 'x'],
    ['\\sqrt{xy}', '\\sqrt{x}\\sqrt{y}'],
    ['|x|', 'x'],
    ['x', 'X'],
    ['x', 't'],
    ['(x-y)^{100}', '(x+y)^{101}'],
    ['f(2)', 'f(3)'],
    ['3abcd', '3'],
    ['\\ln(x^2)', '2\\ln x'],
  ])('%s is not the function %s', (prediction, gold) => expect(verdict(prediction, gold)).toBe('different'));

  it.each(['1/2x', '2\\frac{3}{2}', '\\sqrt12', '\\sin x/2', '2^3^2', '3 4'])('refuses the ambiguous %s', (text) => {
    expect(verdict(text, '7')).toBe('undecided');
    expect(goldProblem(text)).not.toBeNull();
  });
});

describe('structures', () => {
  it.each([
    ['\\{2,1\\}', '\\{1,2\\}'],
    ['2, 1', '1,2'],
    ['1 and 2', '1,2'],
    ['\\{1,2\\}', '1,2'],
    ['\\{1,1,2\\}', '\\{1,2\\}'],
    ['(3,4),(1,2)', '(1,2),(3,4)'],
    ['1\\pm\\sqrt{19}', '1-\\sqrt{19}, 1+\\sqrt{19}'],
    ['x=5 or x=-5', '\\pm 5'],
    ['\\emptyset', '\\{\\}'],
    ['(8,\\infty)\\cup(-\\infty,-8)', '(-∞,-8) ∪ (8,∞)'],
    ['[1,3]', '[1,2]\\cup[2,3]'],
    ['\\mathbb{R}\\setminus\\{1\\}', '(-\\infty,1)\\cup(1,\\infty)'],
    ['x\\ne1', '(-\\infty,1)\\cup(1,\\infty)'],
    ['x<-1 or x>1', '(-\\infty,-1)\\cup(1,\\infty)'],
    ['-2\\le x\\le 7', 'x \\in [-2,7]'],
    ['\\{x : x > 3\\}', '(3,\\infty)'],
    ['1<x<2', '(1,2)'],
    ['\\begin{bmatrix}1/2\\\\2\\end{bmatrix}', '\\begin{pmatrix}0.5\\\\2\\end{pmatrix}'],
    ['[[1,2],[3,4]]', '\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}'],
    ['3:1', '6:2'],
    ['1/3', '1:3'],
    ['70, 110', '70,110'],
  ])('%s is %s', (prediction, gold) => expect(verdict(prediction, gold)).toBe('equal'));

  it.each([
    ['(1,2)', '\\{1,2\\}'],
    ['(1,2)', '1,2'],
    ['[1,2]', '1,2'],
    ['(2,1)', '(1,2)'],
    ['[1,2)', '(1,2]'],
    ['[1,2]', '(1,2)'],
    ['(-\\infty,3]', '(-\\infty,3)'],
    ['1,1,2', '1,2'],
    ['1,2,3', '1,2'],
    ['1', '1,2'],
    ['4 or 5', '4'],
    ['x=1, y=2', '1,2'],
    ['x=2, y=1', 'x=1, y=2'],
    ['\\begin{pmatrix}2\\\\1\\end{pmatrix}', '\\begin{pmatrix}1\\\\2\\end{pmatrix}'],
    ['\\begin{pmatrix}1&2\\end{pmatrix}', '\\begin{pmatrix}1\\\\2\\end{pmatrix}'],
    ['1:3', '3:1'],
    ['600, 15', '15,600'],
    ['x>1, x<3', '(-\\infty,\\infty)'],
  ])('%s is not %s', (prediction, gold) => expect(verdict(prediction, gold)).toBe('different'));

  it('reads 70,110 as a list in any order where the question says so', () => {
    expect(verdict('110, 70', '70,110')).toBe('different');
    expect(verdict('110, 70', '70,110', 'Enter all values, separated by commas.')).toBe('equal');
  });
});

describe('relations', () => {
  it.each([
    ['5', 'x=5'],
    ['x=5', '5'],
    ['5 = x', 'x = 5'],
    ['x = 2+3 = 5', '5'],
    ['2+3 = 5', '5'],
    ['f(x) = x^2', 'x^2'],
    ['y = x^2', 'f(x) = x^2'],
    ['(x,y) = (1,2)', '(1,2)'],
    ['\\angle ABC = 30^\\circ', '30^\\circ'],
    ['2x-y+3=0', 'y=2x+3'],
    ['4x-2y+6=0', 'y=2x+3'],
    ['2x<6', 'x<3'],
    ['-x>-3', 'x<3'],
    ['f(1)>f(2)', 'f(2) < f(1)'],
  ])('%s says %s', (prediction, gold) => expect(verdict(prediction, gold)).toBe('equal'));

  it.each([
    ['y=5', 'x=5'],
    ['y=2x+4', 'y=2x+3'],
    ['x<3', 'x>3'],
    ['x<3', 'x\\le 3'],
    ['-x>3', 'x>-3'],
    ['0', 'x - 3z = 0'],
    ['x = x', '5'],
  ])('%s does not say %s', (prediction, gold) => expect(verdict(prediction, gold)).toBe('different'));
});

describe('units and words', () => {
  it.each([
    ['5', '5\\text{ cm}'],
    ['5 cm', '5\\text{ cm}'],
    ['0.05\\text{ m}', '5\\text{ cm}'],
    ['440 square centimeters', '440\\text{ cm}^2'],
    ['25 km/h', '25 \\text{ km per hour}'],
    ['60 mph', '60 miles per hour'],
    ['20\\text{ m/s}', '72\\text{ km/h}'],
    ['50 cents', '\\$0.50'],
    ['90', '90^\\circ'],
    ['90 degrees', '90^\\circ'],
    ['45 units^2', '45\\text{ cm}^2'],
    ['45 square units', '45'],
    ['18 arrangements', '18\\text{ ways.}'],
    ['A', '\\text{A}'],
    ['(A)', '\\text{(A)}'],
    ['monday', '\\text{Monday}'],
    ['20 June', '\\text{June 20}'],
    ['4:30 PM', '\\text{4:30 p.m.}'],
    ['a\\cdot b', 'ab'],
    ['D, A', '\\text{A,D}'],
  ])('%s is %s', (prediction, gold) => expect(verdict(prediction, gold)).toBe('equal'));

  it.each([
    ['5\\text{ m}', '5\\text{ cm}'],
    ['15 cm', '15\\text{ cm}^2'],
    ['50', '\\$0.50'],
    ['90 radians', '90^\\circ'],
    ['45\\text{ units}^3', '45\\text{ units}^2'],
    ['12\\text{ square units}', '12 \\text{ gm}'],
    ['B', '\\text{A}'],
    ['June 21', '\\text{June 20}'],
    ['4:30 AM', '\\text{4:30 p.m.}'],
    ['listen', '\\text{silent}'],
    ['on', '\\text{no}'],
    ['o n', '\\text{no}'],
    ['\\text{five}', '5'],
  ])('%s is not %s', (prediction, gold) => expect(verdict(prediction, gold)).toBe('different'));
});

describe('what a text says around its answer', () => {
  it.each([
    ['First \\boxed{3}, corrected: $\\boxed{\\frac{1}{2}}$, from 7 cases.', '0.5'],
    ['<think>It is \\boxed{4}.</think> The answer is $5$.', '5'],
    ['The answer is 12.', '12'],
    ['**Answer:** $\\frac34$', '0.75'],
    ['#### 42', '42'],
    ['So we find $x = \\sqrt{8}$.', '2\\sqrt2'],
    ['That makes 1,250 dollars.', '1250'],
    ['The answer is 12 apples because each has one.', '12'],
  ])('%s gives %s', (prediction, gold) => expect(verdict(prediction, gold)).toBe('equal'));

  it.each([
    ['\\boxed{4} or \\boxed{5}', '4'],
    ['The answer is 5 or 6.', '5'],
    ['It is 5 or 6.', '6'],
    ['The answer is not 5.', '5'],
    ['The answer is between 5 and 6.', '6'],
    ['It costs 5 dollars and 20 cents', '20'],
    ['so we get \\frac{\\sqrt3}{2}', '2'],
    ['Thus $x=3$ and $y=4$.', '4'],
    ['I think 5 but the answer is 6', '5'],
    ['Answer: 42 or so, maybe 43', '42'],
    ['<think>\\boxed{5}</think> I do not know', '5'],
    ['<think>\\boxed{5}', '5'],
    ['\\boxed{}', '5'],
    ['\\boxed{5', '5'],
    ['', '5'],
    ['I do not know', '5'],
  ])('%s does not give %s', (prediction, gold) => expect(verdict(prediction, gold)).toBe('different'));

  it('reads only where the extraction allows it', () => {
    const at = (prediction: string, extraction: 'any' | 'stated' | 'box' | 'whole') =>
      checkAnswer({ prediction, gold: '5', extraction }).verdict;
    expect(at('so 5', 'any')).toBe('equal');
    expect(at('so 5', 'stated')).toBe('different');
    expect(at('The answer is 5.', 'stated')).toBe('equal');
    expect(at('The answer is 5.', 'box')).toBe('different');
    expect(at('5', 'box')).toBe('different');
    expect(at('\\boxed{5}', 'box')).toBe('equal');
    expect(at('\\boxed{5} it is', 'whole')).not.toBe('equal');
  });

  it('does not take the repeated question for its answer', () => {
    expect(verdict('\\boxed{i^5+i^{-25}+i^{45}}', 'i', 'Evaluate $i^5+i^{-25}+i^{45}$.')).toBe('different');
    expect(verdict('i^{45}+i^5+i^{-25}', 'i', 'Evaluate $i^5+i^{-25}+i^{45}$.')).toBe('different');
    expect(verdict('x^2-5x+6', '(x-2)(x-3)', 'Factor $x^2-5x+6$.')).toBe('different');
    expect(verdict('(x-3)(x-2)', '(x-2)(x-3)', 'Factor $x^2-5x+6$.')).toBe('equal');
    expect(verdict('\\frac12', '0.5', 'Which is larger, $\\frac12$ or $\\frac13$?')).toBe('equal');
  });
});

describe('limits', () => {
  const { characters, nesting, nodes, integerBits } = ANSWER_LIMITS;

  it('reads 64 levels of brackets and no deeper ones', () => {
    const nested = (levels: number) => `${'('.repeat(levels)}5${')'.repeat(levels)}`;
    expect(verdict(`\\boxed{${nested(nesting)}}`, '5')).toBe('equal');
    expect(verdict(`\\boxed{${nested(nesting + 1)}}`, '5')).toBe('undecided');
  });

  it('reads an answer of 4,096 characters and no longer one', () => {
    const wide = (length: number) => `5${' '.repeat(length - 2)}+`.replace(/ \+$/, '+0');
    expect(wide(characters)).toHaveLength(characters);
    expect(verdict(wide(characters), '5.0')).toBe('equal');
    expect(verdict(`\\boxed{${wide(characters + 1)}}`, '5.0')).toBe('undecided');
  });

  it('builds trees of 512 nodes and no larger ones', () => {
    const sum = (terms: number) => Array.from({ length: terms }, () => '1').join('+');
    expect(verdict(sum(nodes - 1), String(nodes - 1))).toBe('equal');
    expect(verdict(sum(nodes), String(nodes))).toBe('undecided');
  });

  it('calculates with integers of 4,096 bits and no larger ones', () => {
    expect(verdict(`2^{${integerBits - 1}}`, `2\\cdot 2^{${integerBits - 2}}`)).toBe('equal');
    expect(verdict(`2^{${integerBits}}`, `2\\cdot 2^{${integerBits - 1}}`)).toBe('undecided');
    expect(goldProblem(`2^{${integerBits}}`)).toMatch(/4096 bits/);
  });

  it('stops when the time is over', () => {
    let now = 0;
    const clock = { now: () => now++ * 1_500, timestamp: () => '' };
    const slow = { prediction: '(x+y+z+1)^6(x-y)', gold: '(x+y+z+2)^6(x-y)' };
    expect(checkAnswer(slow, clock).verdict).toBe('undecided');
    expect(checkAnswer(slow).verdict).toBe('different');
  });
});

describe('attacks', () => {
  const million = 1_000_000;
  it.each([
    ['nested braces', '{'.repeat(million)],
    ['nested boxes', '\\boxed{'.repeat(100_000)],
    ['nested brackets', `\\boxed{${'('.repeat(2_000)}5${')'.repeat(2_000)}}`],
    ['nested fractions', `\\boxed{${'\\frac{1}{'.repeat(400)}5${'}'.repeat(400)}}`],
    ['a tower of powers', '9^{9^{9^{9^{9^{9}}}}}'],
    ['a huge power', '2^{10^9}'],
    ['a huge power of a symbol', 'x^{10^{1000}}'],
    ['a huge root', '\\sqrt[999]{2^{999}+1}+5'],
    ['a factorial of a factorial', '(9!)!'],
    ['a huge binomial', '\\binom{10^{9}}{5\\cdot 10^8}'],
    ['a huge expansion', '(a+b+c+d+f+g+h+j)^{40}'],
    ['a product of many sums', Array.from({ length: 60 }, (_, index) => `(x_{${index}}+y_{${index}})`).join('')],
    ['many signs', '\\pm 1 \\pm 2 \\pm 3 \\pm 4 \\pm 5 \\pm 6'],
    ['minus signs', '-'.repeat(million)],
    ['dollars', '$'.repeat(100_000)],
    ['white space', `\\boxed{${' '.repeat(4_000)}}`],
    ['digits', '1'.repeat(million)],
    ['digits and commas', '1,'.repeat(2_000)],
    ['letters', 'a'.repeat(million)],
    ['words', 'answer is '.repeat(100_000)],
    ['backslashes', '\\'.repeat(million)],
    ['opening formulas', '\\('.repeat(100_000)],
    ['a formula that never ends', `\\(${'\\a'.repeat(100_000)}`],
    ['nested sines', `${'\\sin('.repeat(50)}1${')'.repeat(50)}`],
    ['nested exponentials', `${'e^{'.repeat(30)}1${'}'.repeat(30)}`],
    ['reversed reading order', '\u202e5'],
    ['a null character', '5\u0000'],
    ['half a surrogate', '\ud800'],
    ['prototype names', '\\constructor + \\__proto__ + \\toString'],
    ['code', 'process.exit(1)'],
    ['a redefinition', '\\def\\boxed#1{5} \\boxed{6}'],
    ['hidden text', '\\phantom{6}5'],
    ['a comment', '6 % 5'],
  ])('%s neither crash nor hang nor pass', (_, prediction) => {
    const start = performance.now();
    for (const check of [
      checkAnswer({ prediction, gold: '5', question: 'Compute $2+3$.' }),
      checkAnswer({ prediction: '5', gold: prediction }),
    ]) {
      expect(check.verdict).not.toBe('equal');
      expect(check.why).not.toContain('defect');
    }
    expect(performance.now() - start).toBeLessThan(3 * ANSWER_LIMITS.milliseconds);
  });

  it('a value that no digits tell from the gold is not equal to it', () => {
    expect(verdict('2+e^{-e^{10}}', '2')).not.toBe('equal');
    expect(verdict('2\\cos(10^{-1200})', '2')).not.toBe('equal');
  });
});
