import { pointerStep } from '../../base/json-pointer.ts';
import type { PatchEdit } from '../../harness/patch-edit.ts';
import type { FactTool } from './harness-facts.ts';
import { type Misfit, propertiesOf, requiredOf, typeNameOf } from './schema-members.ts';

/**
 * Edits after which a tool's schema takes calls that it refuses now: a renamed property gets its old name back, a type or enum widens to
 * the values seen, a demand that nobody meets goes. `misfits`: of calls that are known to be right. Empty when nothing can be told.
 */
export function schemaRepair(tool: FactTool, misfits: readonly Misfit[]): PatchEdit[] {
  const properties = propertiesOf(tool.parameters);
  const place = (...steps: string[]) => `${tool.parametersPath}${steps.map(pointerStep).join('')}`;
  const unknown = misfits.find(({ kind }) => kind === 'unknown');
  const missing = misfits.find(({ kind }) => kind === 'missing');
  if (unknown !== undefined && missing !== undefined) {
    const renamed = Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name === missing.argument ? unknown.argument : name, member]),
    );
    const required = requiredOf(tool.parameters);
    return [
      { path: place('properties'), old: tool.parameters?.properties, value: renamed },
      {
        path: place('required'),
        old: required,
        value: required.map((name) => (name === missing.argument ? unknown.argument : name)),
      },
    ];
  }
  return dedupe(misfits).flatMap(({ kind, argument, value }): PatchEdit[] => {
    const member = properties[argument];
    if (kind === 'missing') {
      const required = requiredOf(tool.parameters);
      return [{ path: place('required'), old: required, value: required.filter((name) => name !== argument) }];
    }
    if (kind === 'unknown') return [{ path: place('properties', argument), value: { type: typeNameOf(value) } }];
    if (kind === 'enum' && Array.isArray(member?.enum)) {
      const seen = misfits
        .filter((misfit) => misfit.kind === 'enum' && misfit.argument === argument)
        .map((misfit) => misfit.value);
      return [
        { path: place('properties', argument, 'enum'), old: member.enum, value: [...member.enum, ...new Set(seen)] },
      ];
    }
    return [{ path: place('properties', argument, 'type'), old: member?.type, value: typeNameOf(value) }];
  });
}

function dedupe(misfits: readonly Misfit[]): Misfit[] {
  const seen = new Set<string>();
  return misfits.filter(({ kind, argument }) => !seen.has(`${kind} ${argument}`) && seen.add(`${kind} ${argument}`));
}
