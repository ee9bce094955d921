import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { errorMessage } from '../base/errors.ts';

/**
 * Null when `args` satisfy the tool's JSON Schema (2020-12), else what is wrong in words a model can act on (at most 3 problems).
 * A schema that cannot be compiled refuses every call and says so.
 */
export type ArgumentCheck = (args: unknown) => string | null;

interface CompiledSchema {
  check: ArgumentCheck;
  /** What keeps the schema from being compiled; null when nothing does. */
  problem: string | null;
}

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, logger: false });
const compiledSchemas = new WeakMap<object, CompiledSchema>();

/** The check of a parameters schema, compiled once per schema object. Never throws. */
export function argumentCheck(parameters: Record<string, unknown>): ArgumentCheck {
  return compiled(parameters).check;
}

/** What keeps a parameters schema from being compiled; null when nothing does. */
export function schemaProblem(parameters: Record<string, unknown>): string | null {
  return compiled(parameters).problem;
}

/** By text: every diff reads its harness anew, and its schemas are mostly those that were compiled before. */
const compiledTexts = new Map<string, CompiledSchema>();
const MOST_TEXTS = 256;

function compiled(parameters: Record<string, unknown>): CompiledSchema {
  const known = compiledSchemas.get(parameters);
  if (known !== undefined) return known;
  const text = JSON.stringify(parameters);
  const same = compiledTexts.get(text) ?? compile(parameters);
  if (compiledTexts.size >= MOST_TEXTS) compiledTexts.clear();
  compiledTexts.set(text, same);
  compiledSchemas.set(parameters, same);
  return same;
}

function compile(parameters: Record<string, unknown>): CompiledSchema {
  try {
    const validate = ajv.compile(parameters);
    return { check: (args) => (validate(args) ? null : describe(validate)), problem: null };
  } catch (error) {
    const problem = errorMessage(error);
    return { check: () => `the tool's parameters are not a valid JSON Schema: ${problem}`, problem };
  } finally {
    // Ajv would keep every schema it has seen, and tasks may bring thousands.
    ajv.removeSchema(parameters);
  }
}

function describe(validate: ValidateFunction): string {
  const problems = (validate.errors ?? []).slice(0, 3).map((error) => {
    const place =
      error.instancePath === '' ? 'arguments' : `argument ${error.instancePath.slice(1).replaceAll('/', '.')}`;
    const allowed = error.keyword === 'enum' ? ` (${JSON.stringify(error.params.allowedValues)})` : '';
    const extra = error.keyword === 'additionalProperties' ? ` (${error.params.additionalProperty})` : '';
    return `${place} ${error.message ?? error.keyword}${allowed}${extra}`;
  });
  return problems.join('; ');
}
