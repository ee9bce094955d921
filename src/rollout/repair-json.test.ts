import { describe, expect, it } from 'vitest';
import { repairJson } from './repair-json.ts';

describe('damaged JSON that can only mean one thing', () => {
  it.each([
    [`{'a': 'it', b: True, "c": [1, 2,], }`, { a: 'it', b: true, c: [1, 2] }],
    ['{"a": {"b": 1', { a: { b: 1 } }],
    ['say {"a": 1} and more', { a: 1 }],
    ['{"a": "two\nlines"}', { a: 'two\nlines' }],
    ["{'a': 'say \"hi\"'}", { a: 'say "hi"' }],
    ['{"a": None}', { a: null }],
    ['```tool\n{"a": {"b": 1}\n```', { a: { b: 1 } }],
    ['<call>{"a": [1, {"b": "<i>`x`"</call> and more', { a: [1, { b: '<i>`x`' }] }],
  ])('%s', (text, value) => {
    expect(repairJson(text)).toEqual(value);
  });

  it.each([
    '{"a": "cut off in a str',
    '{"a": "He said "hi""}',
    '{"a": 1]}',
    'no object',
    '{"a": 1 2}',
    '{"a": 3<4}',
    '{"a": 3 `4` }',
  ])('is left alone where it could mean several: %s', (text) => {
    expect(repairJson(text)).toBeUndefined();
  });
});
