import { describe, expect, it } from 'vitest';
import { closingBrace } from './closing-brace.ts';

describe('closingBrace', () => {
  it.each([
    ['{}', 0, 1],
    ['a {"b": {"c": 1}} d', 2, 16],
    ['a {"b": {"c": 1}} d', 8, 15],
    ['{"braces in a string": "}{"}', 0, 27],
    ['{"an escaped quote": "\\"}"}', 0, 26],
    ['{"an escaped backslash": "\\\\"}', 0, 29],
    ['{a backslash outside a string \\"}"}', 0, 34],
  ])('of %s at %d is at %d', (text, start, end) => {
    expect(closingBrace(text, start)).toBe(end);
  });

  it.each(['{', '{"a": {}', '{"a string that does not end}'])('is nowhere in %s', (text) => {
    expect(closingBrace(text, 0)).toBe(-1);
  });
});
