import { isRecord } from '../../base/is-record.ts';
import { argumentCheck } from '../../harness/argument-check.ts';
import type { HarnessTool } from '../../harness/harness.ts';
import { repairJson } from '../repair-json.ts';
import type { MiddlewareFactory } from './middleware.ts';

type Arguments = Record<string, unknown>;

/**
 * Mends what can only mean one thing: JSON with missing or foreign marks, a value of another type, one wrong name for one missing argument. A mend that
 * the schema would still refuse is not made, so that the model is told what is wrong. A mended turn is never a training target.
 */
export const argumentRepair: MiddlewareFactory<'argument-repair'> = (options) => ({
  afterModel: ({ calls, unreadable }) => {
    if (!options.json || unreadable === null || calls.length > 0) return null;
    const value = repairJson(unreadable.raw);
    if (!isRecord(value) || typeof value.name !== 'string' || !isRecord(value.arguments)) return null;
    return {
      kind: 'use-calls',
      calls: [{ call: { tool: value.name, arguments: value.arguments }, raw: unreadable.raw }],
    };
  },
  beforeTool: (call, tool) => {
    if (tool === null || argumentCheck(tool.parameters)(call.arguments) === null) return null;
    const mended = mend(call.arguments, tool, options);
    if (argumentCheck(tool.parameters)(mended) !== null) return null;
    return { kind: 'use-arguments', arguments: mended };
  },
});

function mend(
  given: Arguments,
  { parameters }: HarnessTool,
  { names, types, extras }: { names: boolean; types: boolean; extras: boolean },
): Arguments {
  const properties = isRecord(parameters.properties) ? parameters.properties : {};
  const required = Array.isArray(parameters.required) ? parameters.required.map(String) : [];
  let mended: Arguments = { ...given };
  const unknown = Object.keys(mended).filter((name) => !Object.hasOwn(properties, name));
  const missing = required.filter((name) => !Object.hasOwn(mended, name));
  const [wrong] = unknown;
  const [right] = missing;
  if (names && unknown.length === 1 && missing.length === 1 && wrong !== undefined && right !== undefined) {
    mended = Object.fromEntries(Object.entries(mended).map(([name, value]) => [name === wrong ? right : name, value]));
  }
  if (extras) mended = Object.fromEntries(Object.entries(mended).filter(([name]) => Object.hasOwn(properties, name)));
  if (types) {
    mended = Object.fromEntries(Object.entries(mended).map(([name, value]) => [name, asType(value, properties[name])]));
  }
  return mended;
}

/** The value as the schema's type where it spells one of it; else as it is. */
function asType(value: unknown, schema: unknown): unknown {
  const type = isRecord(schema) ? schema.type : undefined;
  if (typeof value === 'string') {
    const text = value.trim();
    if ((type === 'number' || type === 'integer') && /^[-+]?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(text)) return Number(text);
    if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
    if (type === 'array' || type === 'object') {
      const parsed = repairJson(text);
      if (type === 'array' ? Array.isArray(parsed) : isRecord(parsed)) return parsed;
    }
  }
  if (type === 'string' && (typeof value === 'number' || typeof value === 'boolean')) return String(value);
  if (type === 'array' && value !== null && !Array.isArray(value)) return [value];
  return value;
}
