import type { FactTool, HarnessFacts } from '../harness-facts/harness-facts.ts';
import { isOfType, propertiesOf, requiredOf, typeOf } from '../harness-facts/schema-members.ts';
import type { HarnessDefect } from './harness-defect.ts';

/** Schemas that no call, or no sensible one, can satisfy: a demanded name that does not exist, values of another type, bounds that cross. */
export function impossibleSchema({ tools }: HarnessFacts): HarnessDefect[] {
  return tools.flatMap((tool) => {
    const problem = problemOf(tool);
    if (problem === null) return [];
    return [
      {
        label: 'tool_schema_error' as const,
        component: 'tool' as const,
        path: problem.path,
        mechanism: 'impossible-schema',
        explanation: `The schema of ${tool.name} contradicts itself: ${problem.why}.`,
        confidence: 0.85,
        quotes: [{ path: problem.path, quote: problem.quote }],
        about: [tool.name, problem.argument],
        repair: null,
      },
    ];
  });
}

interface SchemaProblem {
  path: string;
  why: string;
  quote: string;
  argument: string;
}

function problemOf({ parameters, parametersPath }: FactTool): SchemaProblem | null {
  const properties = propertiesOf(parameters);
  const stray = requiredOf(parameters).find((name) => properties[name] === undefined);
  if (stray !== undefined && Object.keys(properties).length > 0) {
    return {
      path: `${parametersPath}/required`,
      why: `"${stray}" is demanded but not described`,
      quote: JSON.stringify(parameters?.required),
      argument: stray,
    };
  }
  for (const [argument, member] of Object.entries(properties)) {
    const path = `${parametersPath}/properties/${argument}`;
    const problem = memberProblem(member);
    if (problem !== null) return { path, why: `"${argument}" ${problem}`, quote: JSON.stringify(member), argument };
  }
  return null;
}

function memberProblem(member: Record<string, unknown>): string | null {
  const type = typeOf(member);
  const values = Array.isArray(member.enum) ? member.enum : null;
  if (values?.length === 0) return 'allows no value at all';
  if (type !== null && values !== null && !values.some((value) => isOfType(value, type)))
    return `allows only values that are no ${type}`;
  for (const key of ['default', 'example', 'const'] as const) {
    const value = member[key];
    if (value !== undefined && type !== null && value !== null && !isOfType(value, type))
      return `has a ${key} that is no ${type}`;
  }
  const described = typeof member.description === 'string' ? describedType(member.description) : null;
  if (
    described !== null &&
    type !== null &&
    described !== type &&
    !(described === 'number' && type === 'integer') &&
    !(described === 'integer' && type === 'number')
  ) {
    return `is described as ${described} and typed ${type}`;
  }
  for (const [low, high] of [
    ['minimum', 'maximum'],
    ['minLength', 'maxLength'],
    ['minItems', 'maxItems'],
  ] as const) {
    if (Number(member[low]) > Number(member[high])) return `has a ${low} above its ${high}`;
  }
  return null;
}

/** The type that a description begins with or puts in brackets, where it is one of the plain words. */
function describedType(description: string): string | null {
  const match =
    /^(?:an? |the )?(?:list|array) of\b|^\((string|integer|number|boolean|array|object)\)|^(?:an? )?(string|integer|number|boolean|array|object)\b/i.exec(
      description.trim(),
    );
  if (match === null) return null;
  return (match[1] ?? match[2] ?? 'array').toLowerCase();
}
