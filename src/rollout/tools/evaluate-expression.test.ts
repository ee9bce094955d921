import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluateExpression } from './evaluate-expression.ts';
import { ToolError } from './tool-error.ts';

function failureOf(expression: string): string {
  try {
    return `value ${evaluateExpression(expression)}`;
  } catch (error) {
    if (error instanceof ToolError) return error.errorType;
    throw error;
  }
}

describe('evaluateExpression', () => {
  it.each([
    ['48/2', '24'],
    ['2 + 3 * 4', '14'],
    ['(2 + 3) × 4 − 1', '19'],
    ['7 ÷ 2', '3.5'],
    ['0.1 + 0.2', '0.3'],
    ['1/3', '0.3333333333'],
    ['2/3', '0.6666666667'],
    ['100/3', '33.33333333'],
    ['1/30000', '0.00003333333333'],
    ['-(3 - 5)', '2'],
    ['2 - -3', '5'],
    ['-2^2', '-4'],
    ['2^3^2', '512'],
    ['2**-1', '0.5'],
    ['(1/3)*3', '1'],
    ['15% * 80', '12'],
    ['1,250 * 4', '5000'],
    ['.5 + 1.', '1.5'],
    ['12345678901234567890 * 98765432109876543210', '1219326311370217952237463801111263526900'],
    ['-1/3', '-0.3333333333'],
    ['9999999999.96/3', '3333333333.32'],
  ])('%s = %s', (expression, value) => {
    expect(evaluateExpression(expression)).toBe(value);
  });

  it.each([
    ['', 'syntax'],
    ['3 +', 'syntax'],
    ['(3', 'syntax'],
    ['3)', 'syntax'],
    ['3 4', 'syntax'],
    ['7 % 3', 'syntax'],
    ['x + 1', 'syntax'],
    ['$5 * 2', 'syntax'],
    ['2^0.5', 'syntax'],
    ['process.exit()', 'syntax'],
    ['constructor', 'syntax'],
    ['1 / 0', 'division-by-zero'],
    ['5 / (2 - 2)', 'division-by-zero'],
    ['0^-1', 'division-by-zero'],
    ['9^9^9', 'too-large'],
    ['9^999 * 9^999 * 9^999', 'too-large'],
    ['('.repeat(500), 'too-large'],
    [`${'-'.repeat(900)}1`, 'too-large'],
    ['1+'.repeat(600), 'too-large'],
  ])('%s fails as %s', (expression, errorType) => {
    expect(failureOf(expression)).toBe(errorType);
  });

  it('is exact where floating point is not, for any integers', () => {
    const integer = fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n });
    fc.assert(
      fc.property(integer, integer, integer, (a, b, c) => {
        expect(evaluateExpression(`(${a}) * (${b}) - (${c})`)).toBe(`${a * b - c}`);
      }),
    );
  });

  it('ends in a value or a typed error for any text', () => {
    const piece = fc.constantFrom('1', '2.5', '+', '-', '*', '/', '^', '%', '(', ')', ' ', ',', '.', 'e', '{', '0');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => void failureOf(pieces.join(''))),
      { numRuns: 500 },
    );
  });
});
