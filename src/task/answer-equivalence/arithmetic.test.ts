import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { rational } from '../../base/rational.ts';
import { startEffort } from './answer-limits.ts';
import { checkAnswer, goldProblem } from './check-answer.ts';
import { arcTangent, cosine, exponential, logarithm, piInterval, sine } from './elementary-functions.ts';
import { evaluateNumerically } from './evaluate-numerically.ts';
import { exactRational } from './exact-rational.ts';
import type { Expression } from './expression.ts';
import { normalForm, rationalOfFraction } from './normal-form.ts';
import { parseAnswer } from './parse-answer.ts';
import { fromRational, integerRoot, type RealInterval } from './real-interval.ts';

const BITS = 128;
const asNumber = (end: bigint): number => Number(end) / 2 ** BITS;
const at = (value: number): RealInterval =>
  fromRational(rational(BigInt(Math.round(value * 2 ** 40)), 2n ** 40n), BITS);
const exactly = (value: number): number => Math.round(value * 2 ** 40) / 2 ** 40;

function expectAround({ low, high }: RealInterval, value: number): void {
  const slack = Math.max(1, Math.abs(value)) * 1e-12;
  expect(asNumber(low)).toBeLessThanOrEqual(value + slack);
  expect(asNumber(high)).toBeGreaterThanOrEqual(value - slack);
  expect(asNumber(high) - asNumber(low)).toBeLessThan(slack);
}

describe('interval arithmetic', () => {
  const moderate = fc.double({ min: -20, max: 20, noNaN: true });

  it('bounds exp, ln, sin, cos and atan as tightly as doubles can tell', () => {
    fc.assert(
      fc.property(moderate, (value) => {
        expectAround(exponential(at(value), BITS), Math.exp(exactly(value)));
        expectAround(sine(at(value), BITS), Math.sin(exactly(value)));
        expectAround(cosine(at(value), BITS), Math.cos(exactly(value)));
        expectAround(arcTangent(at(value), BITS), Math.atan(exactly(value)));
        if (Math.abs(value) > 1e-6)
          expectAround(logarithm(at(Math.abs(value)), BITS), Math.log(exactly(Math.abs(value))));
      }),
      { numRuns: 60 },
    );
  });

  it('keeps identities at 2,000 bits: ln exp x = x, sin² + cos² = 1, 4 atan 1 = π', () => {
    const bits = 2_000;
    const x = fromRational(rational(22n, 7n), bits);
    const narrow = 1n << 200n;
    const back = logarithm(exponential(x, bits), bits);
    expect(back.low <= x.high && back.high >= x.low && back.high - back.low < narrow).toBe(true);
    const [s, c] = [sine(x, bits).low, cosine(x, bits).low];
    const one = 1n << BigInt(bits);
    const gap = ((s * s + c * c) >> BigInt(bits)) - one;
    expect(gap < narrow && -gap < narrow).toBe(true);
    const quarter = arcTangent({ low: one, high: one }, bits);
    const pi = piInterval(bits);
    expect(4n * quarter.low <= pi.high && 4n * quarter.high >= pi.low).toBe(true);
  });

  it('takes integer roots exactly', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 400n), fc.integer({ min: 2, max: 9 }), (value, index) => {
        const root = integerRoot(value, index);
        expect(root ** BigInt(index) <= value && (root + 1n) ** BigInt(index) > value).toBe(true);
      }),
    );
  });
});

/** Arithmetic with a LaTeX text, and its value in exact rationals by another route (integers over a common denominator). */
interface Written {
  text: string;
  over: bigint;
  under: bigint;
}

const leaf: fc.Arbitrary<Written> = fc.oneof(
  fc.integer({ min: 0, max: 99 }).map((value) => ({ text: `${value}`, over: BigInt(value), under: 1n })),
  fc.tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 1, max: 99 })).map(([over, under]) => ({
    text: `\\frac{${over}}{${under}}`,
    over: BigInt(over),
    under: BigInt(under),
  })),
  fc
    .integer({ min: 1, max: 999 })
    .map((cents) => ({ text: (cents / 100).toFixed(2), over: BigInt(cents), under: 100n })),
);

const { written } = fc.letrec<{ written: Written }>((tie) => ({
  written: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.tuple(tie('written'), tie('written')).map(([a, b]) => ({
      text: `(${a.text}+${b.text})`,
      over: a.over * b.under + b.over * a.under,
      under: a.under * b.under,
    })),
    fc.tuple(tie('written'), tie('written')).map(([a, b]) => ({
      text: `\\left(${a.text} - ${b.text}\\right)`,
      over: a.over * b.under - b.over * a.under,
      under: a.under * b.under,
    })),
    fc
      .tuple(tie('written'), tie('written'))
      .map(([a, b]) => ({ text: `(${a.text})\\cdot(${b.text})`, over: a.over * b.over, under: a.under * b.under })),
    fc
      .tuple(tie('written'), tie('written'))
      .filter(([, b]) => b.over !== 0n)
      .map(([a, b]) => ({ text: `\\frac{${a.text}}{${b.text}}`, over: a.over * b.under, under: a.under * b.over })),
    tie('written').map((a) => ({ text: `(${a.text})^2`, over: a.over ** 2n, under: a.under ** 2n })),
  ),
}));

function expressionOf(text: string): Expression {
  const answer = parseAnswer(text);
  if (answer.kind !== 'value') throw new Error(`${text} is ${answer.kind}`);
  return answer.expression;
}

const effort = () => startEffort(systemClock);

describe('parser and exact arithmetic', () => {
  it('reads a written calculation as its value, in rationals, in normal form and in intervals', () => {
    fc.assert(
      fc.property(written, ({ text, over, under }) => {
        const value = rational(over, under);
        const expression = expressionOf(text);
        expect(exactRational(expression)).toEqual(value);
        expect(rationalOfFraction(normalForm({ atoms: new Map(), effort: effort() }, expression))).toEqual(value);
        const point = { symbol: () => value, application: () => value };
        const bounds = evaluateNumerically(expression, 1_024, point, effort()).re;
        expect(
          bounds.low * value.denominator <= value.numerator << 1_024n &&
            bounds.high * value.denominator >= value.numerator << 1_024n,
        ).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('finds a calculation equal to its fraction and different from its neighbours', () => {
    fc.assert(
      fc.property(written, ({ text, over, under }) => {
        const { numerator, denominator } = rational(over, under);
        const check = (top: bigint) =>
          checkAnswer({ prediction: `\\boxed{${text}}`, gold: `\\frac{${top}}{${denominator}}` }).verdict;
        expect(check(numerator)).toBe('equal');
        // A decimal in the text brings a tolerance: a neighbour must be further away than that.
        expect(check(numerator + 2n * ((numerator < 0n ? -numerator : numerator) + denominator))).toBe('different');
      }),
      { numRuns: 150 },
    );
  });

  it('knows √(ab) = √a·√b, and no other product of roots', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 5_000 }), (a, b) => {
        const product = `\\sqrt{${a}}\\sqrt{${b}}`;
        expect(checkAnswer({ prediction: product, gold: `\\sqrt{${a * b}}` }).verdict).toBe('equal');
        expect(checkAnswer({ prediction: product, gold: `\\sqrt{${a * b + 1}}` }).verdict).toBe('different');
      }),
      { numRuns: 100 },
    );
  });

  it('expands products of sums as the coefficients say', () => {
    const small = fc.integer({ min: -9, max: 9 });
    fc.assert(
      fc.property(small, small, small, (a, b, c) => {
        const factored = `(x + ${a})(x + ${b})(x + ${c})`.replaceAll('+ -', '- ');
        const expanded = (last: number) =>
          `x^3 + ${a + b + c}x^2 + ${a * b + b * c + a * c}x + ${last}`.replaceAll('+ -', '- ');
        expect(checkAnswer({ prediction: factored, gold: expanded(a * b * c) }).verdict).toBe('equal');
        expect(checkAnswer({ prediction: factored, gold: expanded(a * b * c + 1) }).verdict).toBe('different');
      }),
      { numRuns: 100 },
    );
  });

  it('never throws, for any text on either side, and every text that can be a gold equals itself', () => {
    const piece = fc.constantFrom(
      ...'\\frac \\sqrt \\left( \\right) ( ) [ ] { } \\{ \\} ^ _ ! % , ; = < > | + - * / . 1 2 10 x y i e \\pi \\pm \\text{cm} \\cup \\in \\infty \\begin{pmatrix} \\end{pmatrix} & \\\\ \\sin $ \\boxed{ and'.split(
        ' ',
      ),
      ' ',
    );
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'grapheme' }),
      fc.array(piece, { maxLength: 25 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, text, (prediction, gold) => {
        expect(checkAnswer({ prediction, gold, question: prediction }).why).not.toContain('defect');
        const own = checkAnswer({ prediction, gold: prediction, extraction: 'whole' });
        expect(own.why).not.toContain('defect');
        if (goldProblem(prediction) === null) expect([prediction, own.verdict]).toEqual([prediction, 'equal']);
      }),
      { numRuns: 1_000 },
    );
  });
});
