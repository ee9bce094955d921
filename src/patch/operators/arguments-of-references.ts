import { canonicalJson } from '../../base/content-hash.ts';
import { propertiesOf, requiredOf, typeNameOf } from '../../critic/harness-facts/schema-members.ts';
import type { Harness, HarnessTool } from '../../harness/harness.ts';
import type { Task } from '../../task/task.ts';
import { present, toolEdit } from '../harness-edits.ts';
import type { PatchDraft, PatchOperator } from '../patch-operator.ts';

/** Calls of a tool below which its reference says too little about its schema. */
const FEWEST_CALLS = 3;
/** Different texts up to which an argument's values may be the members of an enumeration. */
const MOST_MEMBERS = 12;

/**
 * Makes schemas take the calls of the reference solutions: arguments that are called otherwise, are missing or have another type, values that an
 * enumeration leaves out, required arguments that no reference gives.
 */
export const argumentsOfReferences: PatchOperator = {
  name: 'arguments-of-references',
  reach: (cluster, harness) => {
    if (harness.tools.length === 0) return 0;
    return cluster === null ? 0.4 : cluster.label === 'tool_schema_error' ? 0.7 : 0;
  },
  propose: ({ harness, trainTasks }) => {
    const fitted = harness.tools.flatMap((tool) => draftFor(harness, tool, callsOf(trainTasks, tool.name)) ?? []);
    return [...fitted, ...renamedTools(harness, trainTasks)];
  },
};

type Arguments = Readonly<Record<string, unknown>>;

function callsOf(tasks: readonly Task[], tool: string): Arguments[] {
  return tasks.flatMap(({ reference }) =>
    (reference?.calls ?? []).flatMap((call) => (call.tool === tool ? [call.arguments] : [])),
  );
}

function draftFor(harness: Harness, tool: HarnessTool, calls: readonly Arguments[]): PatchDraft | null {
  if (calls.length < FEWEST_CALLS) return null;
  const properties = propertiesOf(tool.parameters);
  const required = requiredOf(tool.parameters);
  const names = [...new Set(calls.flatMap((call) => Object.keys(call)))];
  const always = names.filter((name) => calls.every((call) => Object.hasOwn(call, name)));
  const orphans = Object.keys(properties).filter((name) => !names.includes(name));
  const fitted = names.map((name): [string, Record<string, unknown>] => {
    const known = properties[name] ?? properties[orphans.shift() ?? ''] ?? {};
    return [
      name,
      fittedTo(
        known,
        calls.flatMap((call) => (Object.hasOwn(call, name) ? [call[name]] : [])),
      ),
    ];
  });
  const parameters = {
    ...tool.parameters,
    properties: Object.fromEntries(fitted),
    required: [
      ...required.filter((name) => always.includes(name)),
      ...always.filter((name) => !required.includes(name)),
    ],
  };
  const edits = present([toolEdit(harness, tool.name, '/parameters', parameters)]);
  if (edits.length === 0 || plain(parameters) === plain(tool.parameters)) return null;
  const title = `let the schema of ${tool.name} take the calls of the reference solutions`;
  return { title, edits, component: 'tool', probe: { kind: 'prompt-changed' }, promise: 1 };
}

/** A schema without the order of its members; what it leaves out allows and demands nothing. */
function plain(schema: Record<string, unknown>): string {
  return canonicalJson({ ...schema, properties: propertiesOf(schema), required: requiredOf(schema).sort() });
}

/** The schema of one argument, changed only where it refuses a value. */
function fittedTo(schema: Record<string, unknown>, values: readonly unknown[]): Record<string, unknown> {
  const types = new Set(values.map(typeNameOf));
  const type =
    types.size === 1 ? [...types][0] : types.isSubsetOf(new Set(['integer', 'number'])) ? 'number' : undefined;
  const isFitting = schema.type === type || (schema.type === 'number' && type === 'integer');
  const typed = isFitting || type === undefined ? schema : { ...schema, type };
  const texts = [...new Set(values.map(String))].sort();
  if (!Array.isArray(typed.enum) || texts.every((text) => (typed.enum as unknown[]).map(String).includes(text)))
    return typed;
  const { enum: _enum, ...open } = typed;
  return texts.length <= MOST_MEMBERS && type === 'string' ? { ...typed, enum: texts } : open;
}

/** Tools that no reference calls, under the name that references call and φ does not have, where the arguments are the same. */
function renamedTools(harness: Harness, tasks: readonly Task[]): PatchDraft[] {
  const called = new Set(tasks.flatMap(({ reference }) => (reference?.calls ?? []).map(({ tool }) => tool)));
  const own = new Set(harness.tools.map(({ name }) => name));
  const unused = harness.tools.filter(({ name }) => !called.has(name));
  return [...called.difference(own)].flatMap((wanted): PatchDraft[] => {
    const given = new Set(callsOf(tasks, wanted).flatMap((call) => Object.keys(call)));
    const match = unused.find((tool) => {
      const names = new Set(Object.keys(propertiesOf(tool.parameters)));
      return names.size === given.size && names.isSubsetOf(given);
    });
    if (match === undefined) return [];
    return [
      {
        title: `call ${match.name} ${wanted}, as the reference solutions do`,
        edits: present([toolEdit(harness, match.name, '/name', wanted)]),
        component: 'tool',
        probe: { kind: 'prompt-changed' },
        promise: 1,
      },
    ];
  });
}
