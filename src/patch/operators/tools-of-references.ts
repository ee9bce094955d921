import { stringify } from 'yaml';
import { typeNameOf } from '../../critic/harness-facts/schema-members.ts';
import type { Harness, HarnessTool } from '../../harness/harness.ts';
import { BUILTIN_TOOLS } from '../../rollout/tools/builtin-tools.ts';
import type { Task } from '../../task/task.ts';
import { present, toolEdit } from '../harness-edits.ts';
import type { PatchDraft, PatchOperator } from '../patch-operator.ts';

/** Calls of a tool below which references say too little about it. */
const FEWEST_CALLS = 3;

/**
 * Offers a tool that reference solutions call and φ lacks, with the arguments that they give; and lets a tool that only records its calls run the built-in
 * of its name. A tool without a built-in records its calls, and only where every other tool does.
 */
export const toolsOfReferences: PatchOperator = {
  name: 'tools-of-references',
  reach: (cluster) => (cluster === null ? 0.3 : cluster.label === 'tool_schema_error' ? 0.8 : 0.2),
  propose: ({ harness, trainTasks }) => [...runningTools(harness), ...missingTools(harness, trainTasks)],
};

function runningTools(harness: Harness): PatchDraft[] {
  return harness.tools.flatMap(({ name, backend }): PatchDraft[] => {
    if (backend.kind !== 'record' || !BUILTIN_TOOLS.has(name)) return [];
    return [
      {
        title: `let ${name} run the built-in of its name`,
        edits: present([toolEdit(harness, name, '/backend', { kind: 'builtin', name })]),
        component: 'tool',
        probe: { kind: 'tool-called', tool: name },
        promise: 1,
      },
    ];
  });
}

function missingTools(harness: Harness, tasks: readonly Task[]): PatchDraft[] {
  const own = new Set(harness.tools.map(({ name }) => name));
  const calls = tasks.flatMap(({ reference }) => reference?.calls ?? []).filter(({ tool }) => !own.has(tool));
  return [...Map.groupBy(calls, ({ tool }) => tool)].flatMap(([name, members]): PatchDraft[] => {
    const file = `tools/${name}/tool.yaml`;
    const backend = backendOf(harness, name);
    const isNew = /^[A-Za-z0-9][\w.-]*$/.test(name) && !harness.files.has(file);
    if (backend === null || members.length < FEWEST_CALLS || !isNew) return [];
    const value = stringify({ name, parameters: parametersOf(members.map((call) => call.arguments)), backend });
    return [
      {
        title: `offer ${name}, which reference solutions call`,
        edits: [{ path: file, value }],
        component: 'tool',
        probe: { kind: 'tool-called', tool: name },
        promise: 1,
      },
    ];
  });
}

function backendOf({ tools }: Harness, name: string): HarnessTool['backend'] | null {
  if (BUILTIN_TOOLS.has(name)) return { kind: 'builtin', name };
  return tools.length > 0 && tools.every(({ backend }) => backend.kind === 'record') ? { kind: 'record' } : null;
}

function parametersOf(calls: readonly Record<string, unknown>[]): Record<string, unknown> {
  const names = [...new Set(calls.flatMap((call) => Object.keys(call)))];
  const properties = names.map((name) => {
    const types = new Set(calls.flatMap((call) => (Object.hasOwn(call, name) ? [openTypeOf(call[name])] : [])));
    return [name, types.size === 1 ? { type: [...types][0] } : {}];
  });
  const required = names.filter((name) => calls.every((call) => Object.hasOwn(call, name)));
  return { type: 'object', properties: Object.fromEntries(properties), required };
}

/** A reference that gives a whole number does not say that no other may be given. */
function openTypeOf(value: unknown): string {
  const type = typeNameOf(value);
  return type === 'integer' ? 'number' : type;
}
