import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallDialect } from '../harness/harness.ts';
import { parseCalls, renderCall } from './call-dialect.ts';

const json: CallDialect = { kind: 'json', open: '', close: '', body: 'call' };
const tags: CallDialect = { kind: 'tags', open: '<call>', close: '</call>', body: 'argument' };
const namedTags: CallDialect = { kind: 'tags', open: '<{tool}>', close: '</{tool}>', body: 'arguments' };
const fenced: CallDialect = { kind: 'fenced', open: 'call', close: '', body: 'call' };

const find = {
  name: 'find',
  parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
};
const list = { name: 'db.list', parameters: { type: 'object', properties: {} } };
const tools = [find, list];

function callsIn(dialect: CallDialect, text: string, wasStopped = false) {
  const dialectTools = dialect === tags ? [find] : tools;
  return parseCalls(dialect, text, dialectTools, wasStopped).calls.map(({ call }) => call);
}

function problemIn(dialect: CallDialect, text: string): string | undefined {
  const { calls, unreadable } = parseCalls(dialect, text, dialect === tags ? [find] : tools);
  expect(calls).toEqual([]);
  return unreadable?.problem;
}

const findCats = { tool: 'find', arguments: { query: 'cats' } };

describe('a call is read where the dialect says', () => {
  it.each([
    ['bare JSON', json, '{"name": "find", "arguments": {"query": "cats"}}'],
    ['JSON in a sentence', json, 'I will use {"name": "find", "arguments": {"query": "cats"}} now.'],
    ['JSON in a fence', json, '```json\n{"name": "find",\n "arguments": {"query": "cats"}}\n```'],
    ['JSON after a stray brace', json, 'Let S = {x. {"name": "find", "arguments": {"query": "cats"}}'],
    ['tags with the raw argument', tags, 'So <call>cats</call>.'],
    ['tags with the tool in their name', namedTags, '<find>{"query": "cats"}</find>'],
    ['a fence', fenced, 'Now:\n```call\n{"name": "find", "arguments": {"query": "cats"}}\n```\n'],
  ])('%s', (_form, dialect, text) => {
    expect(callsIn(dialect, text)).toEqual([findCats]);
  });

  it('reads several calls in text order, two glued objects included', () => {
    const glued = '{"name":"find","arguments":{"query":"cats"}}{"name":"db.list","arguments":{}}';
    expect(callsIn(json, glued)).toEqual([findCats, { tool: 'db.list', arguments: {} }]);
    const mixed = '<db.list>{}</db.list> then <find>{"query": "cats"}</find>';
    expect(callsIn(namedTags, mixed).map(({ tool }) => tool)).toEqual(['db.list', 'find']);
  });

  it('keeps braces and quotes inside strings', () => {
    const text = '{"name": "find", "arguments": {"query": "a } and a \\" b {"}}';
    expect(callsIn(json, text)).toEqual([{ tool: 'find', arguments: { query: 'a } and a " b {' } }]);
  });

  it('takes a closing text that a stop string cut off for there, and puts it back', () => {
    expect(callsIn(tags, 'So <call>cats', true)).toEqual([findCats]);
    expect(parseCalls(tags, 'So <call>cats', [find], true).text).toBe('So <call>cats</call>');
    expect(parseCalls(tags, '<call>a</call> b', [find], true).text).toBe('<call>a</call> b');
  });
});

describe('an attempt in another form is unreadable, not absent', () => {
  it.each([
    ['an unclosed object', json, '{"name": "find", "arguments": {"query": "ca', 'not closed'],
    ['nested quotes', json, '{"name": "find", "arguments": {"query": "He said "hi""}}', 'not valid JSON'],
    ['single quotes', json, "{'name': 'find', 'arguments': {'query': 'cats'}}", 'not valid JSON'],
    ['empty arguments', json, '{"name": "find", "arguments": ""}', '"arguments"'],
    ['missing arguments', json, '{"name": "find"}', '"arguments"'],
    ['another key for the name', json, '{"tool": "find", "arguments": {"query": "cats"}}', '"name"'],
    ['arguments alone', json, '{"query": "cats"}', '"name"'],
    ['function notation', json, 'find("cats")', 'not in the form'],
    ['an opened tag', tags, 'So <call>cats', 'not closed'],
    ['a closing tag alone', tags, 'call>cats</call>', 'without'],
    ['an empty tag', tags, '<call> </call>', 'empty'],
    [
      'JSON where tags are asked for',
      namedTags,
      '{"name": "find", "arguments": {"query": "cats"}}',
      'does not stand between',
    ],
    ['two glued objects in one tag', namedTags, '<find>{"query": "a"}{"query": "b"}</find>', 'not valid JSON'],
    ['a list as arguments', namedTags, '<find>["cats"]</find>', 'not a JSON object'],
  ])('%s', (_form, dialect, text, problem) => {
    expect(problemIn(dialect, text)).toContain(problem);
  });

  it.each([
    ['plain text', json, 'The answer is 7.'],
    ['a set in braces', json, 'The set {1, 2, 3} has three members.'],
    ['an object with nothing of a call', json, '{"answer": 7}'],
    ['the tool named in a sentence', json, 'I could find (or guess) it.'],
    ['a word that ends like a tool', json, 'refind(x)'],
    ['text without tags', tags, 'It is < 3.'],
  ])('%s is no call at all', (_form, dialect, text) => {
    expect(problemIn(dialect, text)).toBeUndefined();
  });
});

describe('what is rendered is what is read', () => {
  it('for every dialect and any arguments', () => {
    const value = fc.string({ minLength: 1 }).map((text) => `q${text}q`);
    fc.assert(
      fc.property(fc.constantFrom(json, namedTags, fenced), value, (dialect, query) => {
        fc.pre(!query.includes('</find>') && !query.includes('```'));
        const call = { tool: 'find', arguments: { query } };
        expect(callsIn(dialect, `Then\n${renderCall(dialect, call, tools)}`)).toEqual([call]);
      }),
    );
    expect(renderCall(tags, findCats, [find])).toBe('<call>cats</call>');
  });

  it('and no text makes the reader throw or run long', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '"',
      '\\',
      'find',
      'name',
      ':',
      '<call>',
      '</call>',
      '```call\n',
      '```',
      '[',
      ' ',
    );
    fc.assert(
      fc.property(
        fc.constantFrom(json, tags, namedTags, fenced),
        fc.array(piece, { maxLength: 60 }),
        (dialect, pieces) => {
          parseCalls(dialect, pieces.join(''), tools);
        },
      ),
    );
    parseCalls(json, '{'.repeat(200_000), tools);
  });
});
