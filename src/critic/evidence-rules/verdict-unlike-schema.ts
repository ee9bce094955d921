import { pointerStep } from '../../base/json-pointer.ts';
import type { Harness, HarnessTool } from '../../harness/harness.ts';
import type { Trajectory } from '../../trajectory/trajectory.ts';
import { type EventOf, eventsOf, evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';
import { toolFile } from '../harness-facts/facts-of-harness.ts';
import { propertiesOf, requiredOf } from '../harness-facts/schema-members.ts';

/** The name ends its clause: "missing argument for the sum" names nothing. */
const ARGUMENT =
  '(?:keyword |positional )*(?:parameter|argument|field|key|property)s?:?\\s*[`"\'“]?(?<name>[\\p{L}_][\\w-]*)[`"\'”]?(?=$|[.,;:)])';
const UNWANTED = new RegExp(`\\b(?:unexpected|unknown|unrecogni[sz]ed|unsupported|extra|no such) ${ARGUMENT}`, 'iu');
const WANTED = new RegExp(`\\b(?:missing|lacks)(?: the| \\d+)?(?: required)? ${ARGUMENT}`, 'iu');
/** A call of another function than the one that was to be called. */
const MISCALLED = /^(?<name>[\p{L}_][\w.-]*): called (?<called>[\p{L}_][\w.-]*)/u;

/**
 * A call fits its schema, and the verdict on it says that the schema is wrong: it misses an argument, or a whole tool, that φ does not offer, or does not know one that φ demands. No model
 * could have obeyed both.
 */
export const verdictUnlikeSchema = evidenceRule('verdict-unlike-schema', 'tool_schema_error', (trajectory, harness) => {
  if (trajectory.outcome.kind !== 'scored') return null;
  const { why } = trajectory.outcome;
  const subject = judgedCall(trajectory, harness, why);
  if (subject === null) return null;
  const gap = missingTool(why, harness) ?? misfit(why, subject, harness);
  if (gap === null) return null;
  const { raw } = subject.made;
  return {
    component: 'tool',
    ...gap,
    severity: 0.9,
    confidence: 0.85,
    evidence: [evidence(subject.made, `${raw} → ${why}`)],
  };
});

interface JudgedCall {
  made: EventOf<'call-parsed'>;
  tool: HarnessTool;
}

/** The last call of the tool that the verdict begins with, where it names one; else the last call. */
function judgedCall(trajectory: Trajectory, { tools }: Harness, why: string): JudgedCall | null {
  const calls = eventsOf(trajectory, 'call-parsed');
  const named = tools.find(({ name }) => why.startsWith(`${name}:`) || why.startsWith(`${name}(`));
  const made = calls.findLast(({ call }) => named === undefined || call.tool === named.name);
  const tool = tools.find(({ name }) => name === made?.call.tool);
  return made === undefined || tool === undefined ? null : { made, tool };
}

function missingTool(why: string, { tools }: Harness): { path: string; explanation: string } | null {
  const { name = '', called = '' } = MISCALLED.exec(why)?.groups ?? {};
  const isOffered = (wanted: string) => tools.some((tool) => tool.name === wanted);
  if (name === '' || isOffered(name) || !isOffered(called)) return null;
  return { path: 'tools', explanation: `A call of ${name} was expected, and the harness offers no such tool.` };
}

function misfit(
  why: string,
  { tool, made }: JudgedCall,
  harness: Harness,
): { path: string; explanation: string } | null {
  const place = `${toolFile(harness, tool.name)}#/parameters/properties`;
  const unwanted = UNWANTED.exec(why)?.groups?.name;
  if (unwanted !== undefined && requiredOf(tool.parameters).includes(unwanted) && unwanted in made.call.arguments) {
    return {
      path: `${place}${pointerStep(unwanted)}`,
      explanation: `${tool.name} demands the argument ${unwanted}, and the verdict does not know it.`,
    };
  }
  const wanted = WANTED.exec(why)?.groups?.name;
  if (wanted === undefined || wanted in propertiesOf(tool.parameters)) return null;
  return { path: place, explanation: `The verdict misses the argument ${wanted}, which ${tool.name} does not have.` };
}
