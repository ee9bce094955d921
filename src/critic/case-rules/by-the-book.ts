import type { CaseRun, CaseStep } from '../cases/case.ts';
import { bare, expectedAnswer, finalReply } from '../cases/expected-answer.ts';
import { misfitsOf } from '../harness-facts/schema-members.ts';
import { askedText, type CaseRule, type CaseView, callsBefore, describedTool, quoteOf } from './case-rule.ts';
import { isMemoryTool } from './lost-memory.ts';

const NOTHING_FOUND =
  /\b(no|not|unknown|none|cannot|invalid)\b[^.\n]{0,40}\b(found|such|exist|match(es|ing)?|with|named|called|known|recogni[sz]ed)\b|\bnot found\b/i;
/** From this share on, arguments are the task's own words and numbers. */
export const GROUNDED = 0.6;

/** Calls as the schema wants them, with the user's own values, that come to nothing: the tool does not do what is said of it. */
export const byTheBook: CaseRule = {
  name: 'by-the-book',
  clues: (view) => {
    const found = view.failing.flatMap((run) => emptyHanded(run, view));
    const [first] = found;
    if (first === undefined) return [];
    const tool = view.facts.tools.find(({ name }) => name === first.call.tool);
    const isAlways = found.length > 1 && found.length === view.failing.length;
    return [
      {
        label: 'tool_schema_error',
        component: 'tool',
        path: tool?.descriptionPath ?? '/tools',
        mechanism: 'back-end-unlike-its-description',
        explanation: `Calls of ${first.call.tool} are as its schema wants them, and it does not do with them what it promises.`,
        weight:
          isAlways && view.passing.length === 0
            ? 1.8
            : NOTHING_FOUND.test(first.step.content.slice(0, 300))
              ? 0.8
              : 0.5,
        evidence: found
          .slice(0, 3)
          .map(({ step, call }) => quoteOf(step.event, `${JSON.stringify(call)} → ${step.content}`)),
        repair:
          tool === undefined
            ? null
            : describedTool(tool, `Answers as in: ${first.step.content.slice(0, 100)}`, view.harness),
      },
    ];
  },
};

/** The last call of a run with its result, where the call is by the book and the result finds nothing, or the reply only passes it on. */
function emptyHanded(run: CaseRun, { facts }: CaseView): { call: CaseStep['calls'][number]; step: CaseStep }[] {
  const step = run.steps.findLast(({ role }) => role === 'tool');
  const call = step === undefined ? undefined : callsBefore(run, step).at(-1);
  const tool = facts.tools.find(({ name }) => name === call?.tool);
  if (step === undefined || call === undefined || tool?.parameters == null) return [];
  // What was stored and is not found again is a matter of memory.
  if (isMemoryTool(call.tool)) return [];
  const asked = askedText(run);
  if (misfitsOf(tool.parameters, call.arguments).length > 0 || groundedShare(call.arguments, asked) < GROUNDED)
    return [];
  const reply = finalReply(run)?.content ?? '';
  const isConfirmation =
    reply.length < 60 &&
    expectedAnswer(run) === null &&
    groundedShare({ reply }, `${asked} ${step.content}`) >= GROUNDED;
  return NOTHING_FOUND.test(step.content.slice(0, 300)) || isConfirmation ? [{ call, step }] : [];
}

/** Share of the words and numbers of values that a text holds; 0 without any. */
export function groundedShare(values: Readonly<Record<string, unknown>>, text: string): number {
  const words = (part: string) =>
    bare(part)
      .split(' ')
      .flatMap((word) => word.split(/[-/:]/))
      .map((word) => word.replace(/^0+(?=\d)/, ''));
  const known = new Set(words(text));
  const wanted = words(
    Object.values(values)
      .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
      .join(' '),
  ).filter((word) => word !== '');
  return wanted.length === 0 ? 0 : wanted.filter((word) => known.has(word)).length / wanted.length;
}
