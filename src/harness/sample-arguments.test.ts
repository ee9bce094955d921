import { describe, expect, it } from 'vitest';
import { sampleArguments } from './sample-arguments.ts';

const object = (properties: Record<string, unknown>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

describe('sampleArguments', () => {
  it.each([
    [
      'texts, numbers, lists and switches',
      {
        a: { type: 'string' },
        b: { type: 'number' },
        c: { type: 'array', items: { type: 'integer' } },
        d: { type: 'boolean' },
      },
    ],
    [
      'bounds',
      {
        a: { type: 'integer', minimum: 5, maximum: 7 },
        b: { type: 'number', exclusiveMinimum: 10 },
        c: { type: 'string', minLength: 4 },
        d: { type: 'integer', multipleOf: 7 },
      },
    ],
    [
      'choices, constants, defaults and examples',
      {
        a: { enum: ['red'] },
        b: { const: 4 },
        c: { type: 'string', default: 'x' },
        d: { type: 'string', pattern: '^a+$', examples: ['aa'] },
      },
    ],
    [
      'alternatives and what may be null',
      { a: { anyOf: [{ type: 'integer' }, { type: 'string' }] }, b: { type: ['null', 'string'] }, c: { type: 'null' } },
    ],
    ['objects in objects', { a: object({ b: object({ c: { type: 'integer' } }) }) }],
  ])('satisfies %s', (_, properties) => {
    expect(sampleArguments(object(properties))).toMatchObject({ conforming: true });
  });

  it('follows references, also of a schema to itself', () => {
    const tree = {
      type: 'object',
      properties: { value: { type: 'integer' }, left: { $ref: '#/$defs/tree' } },
      required: ['value'],
    };
    const schema = { ...object({ root: { $ref: '#/$defs/tree' } }), $defs: { tree } };
    expect(sampleArguments(schema)).toEqual({ values: { root: { value: 1 } }, conforming: true });
    const endless = { ...schema, $defs: { tree: { ...tree, required: ['left'] } } };
    expect(sampleArguments(endless).conforming).toBe(false);
  });

  it('makes no more than there is room for, whatever a schema asks for', () => {
    const long = { type: 'string', minLength: 2 ** 40 };
    const wide = { type: 'array', minItems: 1e9, items: { type: 'integer' } };
    const square = { type: 'array', minItems: 900, items: { ...wide, minItems: 900 } };
    for (const schema of [long, wide, { ...wide, items: wide }, { ...square, items: square }]) {
      expect(sampleArguments(object({ a: schema })).conforming).toBe(false);
    }
  });

  it('gives only what is required, and says where it found nothing that fits', () => {
    expect(sampleArguments({ type: 'object', properties: { a: { type: 'string' } } })).toEqual({
      values: {},
      conforming: true,
    });
    expect(sampleArguments(object({ a: { type: 'string', pattern: '^[A-Z]{3}$' } })).conforming).toBe(false);
  });
});
