import { nearest } from '../../base/nearest.ts';
import type { ToolCall } from '../../trajectory/trajectory.ts';
import type { CaseRun, CaseStep } from '../cases/case.ts';
import type { FactTool } from '../harness-facts/harness-facts.ts';
import { type Misfit, misfitsOf } from '../harness-facts/schema-members.ts';
import { schemaRepair } from '../harness-facts/schema-repair.ts';
import { GROUNDED, groundedShare } from './by-the-book.ts';
import {
  askedText,
  type CaseRule,
  type CaseView,
  type Clue,
  callsBefore,
  describedTool,
  quoteOf,
  repairsOf,
} from './case-rule.ts';

/** Words with which a tool or its validator refuses a call because of how it is made. */
const REFUSAL =
  /\b(unknown|unexpected|unrecogni[sz]ed|unsupported|invalid|extra|additional|missing|required|illegal|bad)\b[^.\n]{0,40}\b(argument|parameter|field|propert(y|ies)|keyword|key|value|type|enum|format|input|option|name)s?\b|\b(argument|parameter|field|property|keyword|value)s?\b[^.\n]{0,40}\b(missing|required|invalid|unknown|unexpected|not (allowed|valid|recogni[sz]ed|supported|permitted))\b|\b(schema|validation|type)[ _-]?(error|failed|mismatch|violation)\b|\bTypeError\b|\bValidationError\b|\bKeyError\b|\bmust be (one of|an? |of type)|\bis not (one of|of type|a valid|an? (integer|number|string|boolean|array|object|list))\b|\bexpected (an? )?(string|integer|int|float|number|array|list|object|dict|boolean|bool|ISO)\b|\bcannot (parse|convert|cast)\b|\b(400|422)\b[^\n]{0,30}\b(bad request|unprocessable|error)\b|\bHTTP 4(00|22)\b|\bunprocessable\b/i;

interface Refusal {
  call: ToolCall;
  tool: FactTool | undefined;
  step: CaseStep;
  misfits: Misfit[];
}

/**
 * Calls that a tool refused. What the schema allows and the back end refuses is the schema's fault; what the schema plainly forbids is the
 * model's, unless it happens again and again.
 */
export const refusedCall: CaseRule = {
  name: 'refused-call',
  clues: (view) => {
    const refusals = view.failing.flatMap((run) => refusalsOf(run, view));
    return [...Map.groupBy(refusals, ({ call }) => call.tool).values()].map((group) => clueOf(group, view));
  },
};

function refusalsOf(run: CaseRun, { facts }: CaseView): Refusal[] {
  return run.steps.flatMap((step, index) => {
    if (step.role !== 'tool' && step.role !== 'note') return [];
    const text = step.content.slice(0, 2_000);
    const calls = callsBefore(run, step);
    const call = calls.find(({ tool }) => step.content.includes(tool)) ?? calls[0];
    if (call === undefined || !(REFUSAL.test(text) || isAboutArgument(text, call))) return [];
    if (isMistyped(call, text, run.steps.slice(0, index))) return [];
    const tool = facts.tools.find(({ name }) => name === call.tool);
    return [{ call, tool, step, misfits: misfitsOf(tool?.parameters ?? null, call.arguments) }];
  });
}

const TROUBLE =
  /\b(errors?|invalid|unknown|illegal|bad request|rejected|must|expected|out of range|too (large|small|long|short)|4(00|22))\b/i;

/** A tool in trouble that names one of the arguments it was given. */
function isAboutArgument(text: string, { arguments: given }: ToolCall): boolean {
  return (
    TROUBLE.test(text) &&
    Object.keys(given).some((name) => name.length > 2 && new RegExp(`\\b${RegExp.escape(name)}\\b`, 'i').test(text))
  );
}

/** The refused value is one that stood before it, with a letter or digit out of place: the model's own slip. */
function isMistyped({ arguments: given }: ToolCall, text: string, before: readonly CaseStep[]): boolean {
  const known = new Set(
    before.filter(({ role }) => role !== 'assistant').flatMap(({ content }) => content.split(/[\s"',;:(){}[\]]+/)),
  );
  return Object.values(given).some((value) => {
    const word = String(value);
    if (word.length < 4 || !text.includes(word) || known.has(word)) return false;
    // A run can show tens of thousands of words; those of about its length are compared.
    const alike = [...known].filter(
      (other) => other.length > 3 && Math.abs(other.length - word.length) <= word.length / 2,
    );
    return nearest(word, alike) !== undefined;
  });
}

function clueOf(group: Refusal[], view: CaseView): Clue {
  const { harness, passing } = view;
  const [first] = group as [Refusal, ...Refusal[]];
  const { tool, call } = first;
  const isAllowed =
    group.filter((refusal) => refusal.tool?.parameters != null && refusal.misfits.length === 0).length * 2 >=
    group.length;
  const isSystematic =
    group.length > 1 &&
    !passing.some((run) =>
      run.steps.some(({ calls }) =>
        calls.some(
          (other) => other.tool === call.tool && misfitsOf(tool?.parameters ?? null, other.arguments).length === 0,
        ),
      ),
    );
  const evidence = group
    .slice(0, 3)
    .flatMap(({ step, call: made }) => [
      quoteOf(step.event, `${made.tool}(${JSON.stringify(made.arguments)}) → ${step.content}`),
    ]);
  const isAskedFor = lacksArgument(first, view);
  if (tool?.parameters != null && !isAllowed && !isSystematic && !isAskedFor) {
    return {
      label: 'agent_error',
      component: null,
      path: null,
      mechanism: 'breaks-clear-schema',
      explanation: `The call breaks the schema of ${call.tool}, which says plainly what it takes.`,
      weight: 1.2,
      evidence,
      repair: null,
    };
  }
  return schemaClue(group, harness, isAllowed, evidence);
}

/** A refused argument that no other stands for, with a value from the task: the schema has no place for what was asked. */
function lacksArgument({ misfits, call }: Refusal, { failing }: CaseView): boolean {
  const unknown = misfits.filter(({ kind }) => kind === 'unknown');
  const asked = failing.map(askedText).join(' ');
  const given = Object.fromEntries(unknown.map(({ argument }) => [argument, call.arguments[argument]]));
  return unknown.length > 0 && unknown.length === misfits.length && groundedShare(given, asked) >= GROUNDED;
}

function schemaClue(group: Refusal[], harness: unknown, isAllowed: boolean, evidence: Clue['evidence']): Clue {
  const [first] = group as [Refusal, ...Refusal[]];
  const { tool, call, misfits } = first;
  const edits =
    tool === undefined
      ? []
      : schemaRepair(
          tool,
          group.flatMap((refusal) => refusal.misfits),
        );
  const path = edits[0]?.path ?? (tool === undefined ? '/tools' : tool.parametersPath);
  return {
    label: 'tool_schema_error',
    component: 'tool',
    path,
    mechanism: isAllowed
      ? 'back-end-refuses-what-schema-allows'
      : tool?.parameters == null
        ? 'arguments-not-described'
        : 'unfit-argument-schema',
    explanation: isAllowed
      ? `${call.tool} refuses arguments that its schema allows.`
      : `Calls of ${call.tool} are refused for their form${misfits.length > 0 ? ', in the same way each time' : '; nothing describes its arguments'}.`,
    weight: isAllowed ? 3 : tool?.parameters == null ? 2 : 1.8,
    evidence,
    repair:
      repairsOf(edits, harness) ??
      (tool === undefined ? null : describedTool(tool, `Takes: ${first.step.content.slice(0, 160)}`, harness)),
  };
}
