import { isRecord } from '../../base/is-record.ts';

/** Properties of an object schema by name; empty where there are none. A bare map of names to types is read as properties too. */
export function propertiesOf(schema: Record<string, unknown> | null): Record<string, Record<string, unknown>> {
  if (schema === null) return {};
  const properties = isRecord(schema.properties) ? schema.properties : typeof schema.type === 'string' ? {} : schema;
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, member]) => {
      if (isRecord(member)) return [[name, member]];
      return typeof member === 'string' ? [[name, { type: member }]] : [];
    }),
  );
}

/** Names a schema demands. */
export function requiredOf(schema: Record<string, unknown> | null): string[] {
  const required = schema?.required;
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  str: 'string',
  text: 'string',
  int: 'integer',
  float: 'number',
  double: 'number',
  bool: 'boolean',
  dict: 'object',
  list: 'array',
  tuple: 'array',
};

/** JSON Schema type of a member in lower case; null where none or several are given. */
export function typeOf(member: Record<string, unknown> | undefined): string | null {
  const type = member?.type;
  return typeof type === 'string' ? (TYPE_NAMES[type.toLowerCase()] ?? type.toLowerCase()) : null;
}

/** Whether a value is of a JSON Schema type; unknown types allow everything. */
export function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value);
    case 'number':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    case 'null':
      return value === null;
    default:
      return true;
  }
}

/** The schema type of a value. */
export function typeNameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

export interface Misfit {
  kind: 'missing' | 'unknown' | 'type' | 'enum';
  argument: string;
  value: unknown;
}

/** How arguments fail a schema, one entry an argument; empty when they fit. Names, types and enums only. */
export function misfitsOf(schema: Record<string, unknown> | null, given: Readonly<Record<string, unknown>>): Misfit[] {
  const properties = propertiesOf(schema);
  if (schema === null || Object.keys(properties).length === 0) return [];
  const missing = requiredOf(schema)
    .filter((name) => given[name] === undefined)
    .map((argument) => ({ kind: 'missing' as const, argument, value: undefined }));
  const others = Object.entries(given).flatMap(([argument, value]): Misfit[] => {
    const member = properties[argument];
    if (member === undefined) return [{ kind: 'unknown', argument, value }];
    if (Array.isArray(member.enum) && !member.enum.some((allowed) => allowed === value))
      return [{ kind: 'enum', argument, value }];
    const type = typeOf(member);
    return type !== null && !isOfType(value, type) ? [{ kind: 'type', argument, value }] : [];
  });
  return [...missing, ...others];
}
