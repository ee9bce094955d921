import { isRecord } from '../base/is-record.ts';
import { valueAt } from '../base/json-pointer.ts';
import { argumentCheck } from './argument-check.ts';

/** Arguments for a first try of a tool. `conforming`: whether they satisfy its schema; patterns, for instance, are not solved. */
export interface SampledArguments {
  values: Record<string, unknown>;
  conforming: boolean;
}

type Schema = Record<string, unknown>;

/** The schema that references are looked up in, and how many values may still be made. */
interface Sampling {
  root: Schema;
  left: number;
}

/** A schema may refer to itself, */
const MOST_DEPTH = 6;
/** and ask for more items or characters than there is room for. */
const MOST_VALUES = 1_000;
const MOST_CHARACTERS = 10_000;
/** A number, an expression, JSON and a text at once: the value that most code can read. */
const PLAIN_TEXT = '1';

/** The required arguments of a JSON Schema (2020-12), by its defaults, examples, lists and bounds. Deterministic; never throws. */
export function sampleArguments(parameters: Schema): SampledArguments {
  const sampled = objectOf(parameters, { root: parameters, left: MOST_VALUES }, 0);
  return { values: sampled, conforming: argumentCheck(parameters)(sampled) === null };
}

function sampleOf(given: unknown, sampling: Sampling, depth: number): unknown {
  const schema = resolved(given, sampling.root);
  if (schema === null || depth > MOST_DEPTH || sampling.left-- <= 0) return PLAIN_TEXT;
  if ('const' in schema) return schema.const;
  if ('default' in schema) return schema.default;
  for (const key of ['examples', 'enum'] as const) {
    const list = schema[key];
    if (Array.isArray(list) && list.length > 0) return list[0];
  }
  for (const key of ['anyOf', 'oneOf'] as const) {
    const list = schema[key];
    if (Array.isArray(list) && list.length > 0) return sampleOf(list[0], sampling, depth + 1);
  }
  return sampleOfType(schema, sampling, depth);
}

function sampleOfType(schema: Schema, sampling: Sampling, depth: number): unknown {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const type = types.find((one) => one !== 'null') ?? types[0];
  if (type === 'object' || (type === undefined && isRecord(schema.properties)))
    return objectOf(schema, sampling, depth);
  if (type === 'array') return listOf(schema, sampling, depth);
  if (type === 'number' || type === 'integer') return numberOf(schema);
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  return textOf(schema);
}

function objectOf(schema: Schema, sampling: Sampling, depth: number): Record<string, unknown> {
  const all: unknown[] = [schema, ...(Array.isArray(schema.allOf) ? schema.allOf : [])];
  const parts = all.map((part) => resolved(part, sampling.root)).filter((part) => part !== null);
  const properties = Object.assign({}, ...parts.map((part) => part.properties)) as Schema;
  const required = parts.flatMap((part) => (Array.isArray(part.required) ? part.required : []));
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[String(name)], sampling, depth + 1)]));
}

function listOf({ items, minItems, prefixItems }: Schema, sampling: Sampling, depth: number): unknown[] {
  if (Array.isArray(prefixItems)) return prefixItems.map((item) => sampleOf(item, sampling, depth + 1));
  const length = Math.min(MOST_VALUES, Math.max(1, numberIn(minItems) ?? 1));
  return Array.from({ length }, () => sampleOf(items, sampling, depth + 1));
}

function numberOf({ type, minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf }: Schema): number {
  const step = numberIn(multipleOf) ?? 1;
  const least = numberIn(minimum) ?? (numberIn(exclusiveMinimum) ?? Number.NEGATIVE_INFINITY) + step;
  const most = numberIn(maximum) ?? (numberIn(exclusiveMaximum) ?? Number.POSITIVE_INFINITY) - step;
  const value = Math.min(most, Math.max(least, step));
  return type === 'integer' || multipleOf !== undefined ? Math.ceil(value / step) * step : value;
}

function textOf({ minLength, maxLength }: Schema): string {
  const padded = PLAIN_TEXT.repeat(Math.min(MOST_CHARACTERS, Math.max(1, numberIn(minLength) ?? 1)));
  return padded.slice(0, numberIn(maxLength) ?? padded.length);
}

function resolved(schema: unknown, root: Schema): Schema | null {
  let current = schema;
  for (let step = 0; step < MOST_DEPTH && isRecord(current) && typeof current.$ref === 'string'; step++) {
    current = valueAt(root, current.$ref.startsWith('#/') ? current.$ref.slice(1) : '');
  }
  return isRecord(current) ? current : null;
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
