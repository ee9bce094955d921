import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearPattern, linearPatternProblem } from './linear-pattern.ts';

describe('a pattern from an untrusted author', () => {
  it.each([
    ['how (many|much)', 'So how many are left?', true],
    ['(?i)HOW MANY', 'How many?', true],
    ['^\\d+(\\.\\d+)?$', '12.5', true],
    ['^\\d+(\\.\\d+)?$', '12.', false],
    ['(?i)[^a-c]W\\W', 'Aw!xW!', true],
    ['\\bcat\\b', 'concatenate', false],
    ['[^a-c\\s-]{2,3}$', 'a -xy', true],
    ['a{3}', 'aa', false],
    ['', '', true],
  ])('%s in "%s": %s', (source, text, expected) => {
    expect(linearPattern(source)(text)).toBe(expected);
  });

  it.each([
    ['(a', 'not closed'],
    ['*a', 'nothing to repeat'],
    ['(?=a)', 'not known'],
    ['(a)\\1', 'not known'],
    ['[b-a]', 'order'],
    ['(a{1000}){1000}', 'steps'],
  ])('%s is refused: %s', (source, problem) => {
    expect(linearPatternProblem(source)).toContain(problem);
  });

  it('decides in linear time what makes a backtracking engine hang', () => {
    const text = 'a'.repeat(20_000);
    const start = performance.now();
    expect(linearPattern('^(a+)+$')(`${text}!`.slice(1))).toBe(false);
    expect(linearPattern('.*.*.*=.*')(text)).toBe(false);
    expect(performance.now() - start).toBeLessThan(3_000);
  });

  it('agrees with the language’s own engine', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\d', '\\b', '^', '$', '1');
    const counted = fc.tuple(
      fc.constantFrom('a', 'b', '[ab]', '(?:ab|a)', '\\w'),
      fc.constantFrom('*', '+', '?', '{2}', '{1,2}'),
    );
    const piece = fc.oneof(
      atom,
      counted.map((parts) => parts.join('')),
    );
    const pattern = fc
      .array(
        fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join('')),
        { minLength: 1, maxLength: 3 },
      )
      .map((options) => options.join('|'));
    fc.assert(
      fc.property(pattern, fc.stringMatching(/^[ab1 ]{0,8}$/), (source, text) => {
        expect(linearPattern(source)(text)).toBe(new RegExp(source, 'u').test(text));
      }),
      { numRuns: 500, seed: 11 },
    );
  });
});
