import { z } from 'zod';
import { isRecord } from '../base/is-record.ts';
import { checkSchema } from '../base/json.ts';
import type { Harness, HarnessTool } from '../harness/harness.ts';
import { toolsOfHarness } from '../harness/house-tools.ts';
import type { Task } from '../task/task.ts';

const taskToolsSchema = z.array(
  z.object({
    name: z.string().min(1),
    description: z.string().default(''),
    parameters: z.record(z.string(), z.json()).default({ type: 'object', properties: {} }),
  }),
);

const offers = new WeakMap<object, WeakMap<Harness, readonly HarnessTool[]>>();

/**
 * Tools of a rollout: φ's own, then those that the task brings in `fields.tools` (name, description, parameters), which only record their
 * calls. φ wins where names meet. The same harness and task give the same array. Throws CoHarnessError `invalid-data` for a task whose
 * `fields.tools` is not such a list.
 */
export function offeredTools(harness: Harness, task: Task): readonly HarnessTool[] {
  const brought = task.fields?.tools;
  const ownTools = toolsOfHarness(harness);
  if (typeof brought !== 'object' || brought === null) return ownTools;
  const known = offers.get(brought)?.get(harness);
  if (known !== undefined) return known;
  const own = new Set(ownTools.map(({ name }) => name));
  const recorded = checkSchema(taskToolsSchema, brought, { file: `task ${task.id}, fields.tools` })
    .filter(({ name }) => !own.has(name))
    .map(
      (tool): HarnessTool => ({
        ...tool,
        parameters: normaliseSchema(tool.parameters),
        backend: { kind: 'record' },
        limits: { wallMs: 10_000, outputCharacters: 4_000 },
      }),
    );
  const tools = [...ownTools, ...recorded];
  if (!offers.has(brought)) offers.set(brought, new WeakMap());
  offers.get(brought)?.set(harness, tools);
  return tools;
}

/** Type names of Python-minded tool lists → JSON Schema. */
const TYPE_NAMES: Readonly<Record<string, string>> = { dict: 'object', float: 'number', tuple: 'array', list: 'array' };

function normaliseSchema(schema: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema).flatMap(([key, value]) => normaliseMember(key, value)));
}

function normaliseMember(key: string, value: unknown): [string, unknown][] {
  if (key === 'type' && typeof value === 'string') {
    return value === 'any' ? [] : [[key, TYPE_NAMES[value.toLowerCase()] ?? value]];
  }
  if (key === 'properties' && isRecord(value)) {
    return [[key, Object.fromEntries(Object.entries(value).map(([name, member]) => [name, normaliseValue(member)]))]];
  }
  if (['items', 'additionalProperties', 'anyOf', 'oneOf', 'allOf'].includes(key)) return [[key, normaliseValue(value)]];
  return [[key, value]];
}

function normaliseValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normaliseValue);
  return isRecord(value) ? normaliseSchema(value) : value;
}
