import { isRecord } from '../../base/is-record.ts';
import { pointerStep } from '../../base/json-pointer.ts';
import type { Harness, HarnessTool } from '../../harness/harness.ts';
import { type EventOf, eventsOf, evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';
import { toolFile } from '../harness-facts/facts-of-harness.ts';
import { misfitsOf, propertiesOf, requiredOf } from '../harness-facts/schema-members.ts';

/**
 * The whole of a verdict on a call: as our function-call verifier puts it, and as Python puts a call with other arguments than a function has. Prose about an answer
 * (a judge's "is missing key details") is none of these.
 */
const MISSING = /^(?<tool>[^\s:(]+): missing parameter (?<names>\S+)$/u;
const UNEXPECTED = /^(?<tool>[^\s:(]+): unexpected parameter (?<names>\S+)$/u;
const MISCALLED = /^(?<tool>[^\s:(]+): called (?<called>\S+)$/u;
const PYTHON_MISSING =
  /^(?:TypeError: )?(?<tool>[^\s:(]+)\(\) missing \d+ required (?:positional|keyword-only) arguments?: (?<names>.+)$/u;
const PYTHON_UNEXPECTED = /^(?:TypeError: )?(?<tool>[^\s:(]+)\(\) got an unexpected keyword argument (?<names>\S+)$/u;

interface Gap {
  path: string;
  explanation: string;
}

/**
 * A call fits its schema, and the verdict on it says that the schema is wrong: it misses an argument, or a whole tool, that φ does not offer, or does not know one that φ
 * demands. No model could have obeyed both.
 */
export const verdictUnlikeSchema = evidenceRule('verdict-unlike-schema', 'tool_schema_error', (trajectory, harness) => {
  if (trajectory.outcome.kind !== 'scored') return null;
  const why = trajectory.outcome.why.trim();
  const calls = eventsOf(trajectory, 'call-parsed');
  const found = missingTool(why, harness, calls) ?? misfit(why, harness, calls);
  if (found === null) return null;
  const { made, ...gap } = found;
  return {
    component: 'tool',
    ...gap,
    severity: 0.9,
    confidence: 0.85,
    evidence: [evidence(made, `${made.raw} → ${why}`)],
  };
});

type Found = Gap & { made: EventOf<'call-parsed'> };

function missingTool(why: string, { tools }: Harness, calls: readonly EventOf<'call-parsed'>[]): Found | null {
  const { tool = '', called = '' } = MISCALLED.exec(why)?.groups ?? {};
  const made = calls.findLast(({ call }) => call.tool === called);
  const names = new Set(tools.map(({ name }) => name));
  if (made === undefined || names.has(tool) || !names.has(called)) return null;
  return { made, path: 'tools', explanation: `A call of ${tool} was expected, and the harness offers no such tool.` };
}

function misfit(why: string, harness: Harness, calls: readonly EventOf<'call-parsed'>[]): Found | null {
  const missing = (MISSING.exec(why) ?? PYTHON_MISSING.exec(why))?.groups;
  const unexpected = (UNEXPECTED.exec(why) ?? PYTHON_UNEXPECTED.exec(why))?.groups;
  const { tool: named, names = '' } = missing ?? unexpected ?? {};
  const tool = harness.tools.find(({ name }) => name === named);
  const made = calls.findLast(({ call }) => call.tool === named);
  if (tool === undefined || made === undefined || !isClosed(tool.parameters)) return null;
  if (misfitsOf(tool.parameters, made.call.arguments).length > 0) return null;
  const gap = missing === undefined ? demanded(tool, harness, namesIn(names)) : lacking(tool, harness, namesIn(names));
  return gap === null ? null : { made, ...gap };
}

/** Whether the properties are all that a schema allows to be named: no branches, and not open on purpose. */
function isClosed(schema: Record<string, unknown> | null): boolean {
  if (schema === null || !isRecord(schema.properties) || schema.additionalProperties === true) return false;
  return !['oneOf', 'anyOf', 'allOf', '$ref', 'patternProperties'].some((key) => Object.hasOwn(schema, key));
}

/** `'a', 'b' and 'c'` and `a` alike. */
function namesIn(text: string): string[] {
  return text.split(/,? and |, /).map((name) => name.replace(/^['"`‘“]|['"`’”]$/g, ''));
}

function lacking(tool: HarnessTool, harness: Harness, names: readonly string[]): Gap | null {
  const known = new Set(Object.keys(propertiesOf(tool.parameters)).map(spelling));
  const [name] = names.filter((one) => !known.has(spelling(one)));
  if (name === undefined) return null;
  return {
    path: `${toolFile(harness, tool.name)}#/parameters/properties`,
    explanation: `The verdict misses the argument ${name}, which ${tool.name} does not have.`,
  };
}

function demanded(tool: HarnessTool, harness: Harness, names: readonly string[]): Gap | null {
  const required = requiredOf(tool.parameters);
  const name = names.find((one) => required.includes(one));
  if (name === undefined) return null;
  return {
    path: `${toolFile(harness, tool.name)}#/parameters/properties${pointerStep(name)}`,
    explanation: `${tool.name} demands the argument ${name}, and the verdict does not know it.`,
  };
}

/** Names that differ in case or joints alone are taken for one: such a verdict is about a spelling. */
function spelling(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}
