import type { CallDialect, Harness, HarnessTool } from '../harness/harness.ts';
import { soleTextArgument } from '../harness/parse-harness.ts';

/** Dialects that can write every call of φ, shortest form first, without the present one. */
export function otherDialects(harness: Harness): CallDialect[] {
  const bare: CallDialect[] =
    harness.tools.length > 0 && harness.tools.every((tool) => soleTextArgument(tool) !== null)
      ? [
          { kind: 'tags', open: '<{tool}>', close: '</{tool}>', body: 'argument' },
          { kind: 'fenced', open: '{tool}', close: '```', body: 'argument' },
        ]
      : [];
  const all: CallDialect[] = [
    ...bare,
    { kind: 'tags', open: '<{tool}>', close: '</{tool}>', body: 'arguments' },
    { kind: 'json', open: '', close: '', body: 'call' },
    { kind: 'tags', open: '<tool_call>', close: '</tool_call>', body: 'call' },
    { kind: 'fenced', open: 'json', close: '```', body: 'call' },
  ];
  return all.filter((dialect) => dialectName(dialect) !== dialectName(harness.settings.protocol.dialect));
}

/** For titles and comparison, e.g. `tags <{tool}> argument`. */
export function dialectName({ kind, open, body }: CallDialect): string {
  return kind === 'json' ? 'json call' : `${kind} ${open} ${body}`;
}

/** A call written out with placeholders for its values, as an instruction can show it. */
export function callSkeleton(dialect: CallDialect, tool: Pick<HarnessTool, 'name' | 'parameters'>): string {
  const properties = (tool.parameters.properties ?? {}) as Record<string, { type?: unknown } | undefined>;
  const required = Array.isArray(tool.parameters.required)
    ? (tool.parameters.required as string[])
    : Object.keys(properties);
  const given = Object.fromEntries(required.map((name) => [name, placeholder(properties[name]?.type, name)]));
  const argument = soleTextArgument(tool);
  const body =
    dialect.body === 'call'
      ? JSON.stringify({ name: tool.name, arguments: given })
      : dialect.body === 'arguments' || argument === null
        ? JSON.stringify(given)
        : argument.toUpperCase();
  const named = (text: string) => text.replaceAll('{tool}', tool.name);
  if (dialect.kind === 'json') return body;
  if (dialect.kind === 'fenced') return `\`\`\`${named(dialect.open)}\n${body}\n\`\`\``;
  return `${named(dialect.open)}${body}${named(dialect.close)}`;
}

function placeholder(type: unknown, name: string): unknown {
  const kind = Array.isArray(type) ? type[0] : type;
  if (kind === 'number' || kind === 'integer') return 0;
  if (kind === 'boolean') return true;
  if (kind === 'array') return [];
  if (kind === 'object') return {};
  return name.toUpperCase();
}
