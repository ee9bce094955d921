import { expectedAnswer, finalReply, mentions } from '../cases/expected-answer.ts';
import { GROUNDED, groundedShare } from './by-the-book.ts';
import { askedText, type CaseRule, type CaseView, type Clue, describedTool, quoteOf, stepsOf } from './case-rule.ts';

/**
 * The reply says exactly what the tool said, and that is not what was wanted: not the model, but the tool (or what is said of it) is wrong. Surest
 * where the two differ by a power of ten, as units do.
 */
export const faithfulButWrong: CaseRule = {
  name: 'faithful-but-wrong',
  clues: (view) => {
    const found = view.failing.flatMap((run) => faithful(run, view));
    return found.slice(0, 2);
  },
};

function faithful(run: CaseView['failing'][number], { facts, failing, harness, passing }: CaseView): Clue[] {
  const wanted = expectedAnswer(run);
  const reply = finalReply(run);
  const shown = stepsOf(run, 'tool').at(-1);
  if (wanted === null || reply === null || shown === undefined) return [];
  const given = numbersOf(shown.content);
  const said = numbersOf(wanted.got ?? reply.content);
  const target = numbersOf(wanted.expected);
  if (
    target.length !== 1 ||
    said.length === 0 ||
    given.some((number) => number === target[0]) ||
    mentions(reply.content, wanted.expected)
  )
    return [];
  const copied = said.find((number) => given.includes(number));
  if (copied === undefined || said.length > 2 || given.length > 2) return [];
  const scale = Math.log10(Math.abs(copied / (target[0] ?? 1)));
  const isScaled = Number.isFinite(scale) && Math.abs(scale) >= 1 && Math.abs(scale - Math.round(scale)) < 1e-9;
  const call = run.steps.flatMap(({ calls }) => calls).at(-1);
  // Where the model composed the arguments, the result is its own work as much as the tool's.
  if (call !== undefined && !isScaled && groundedShare(call.arguments, askedText(run)) < GROUNDED) return [];
  const called = call?.tool;
  const tool = facts.tools.find(({ name }) => name === called);
  const worksElsewhere = passing.some(({ steps }) =>
    steps.some(({ calls }) => calls.some((one) => one.tool === called)),
  );
  return [
    {
      label: 'tool_schema_error',
      component: 'tool',
      path: tool?.descriptionPath ?? '/tools',
      mechanism: isScaled ? 'tool-answers-in-other-unit' : 'tool-answers-otherwise',
      explanation: `The reply passes on what ${called ?? 'the tool'} said, and that is not what its description promises.`,
      weight: (isScaled ? 2.2 : worksElsewhere ? 0.6 : 1.3) + (failing.length > 1 ? 0.2 : 0),
      evidence: [
        quoteOf(shown.event, shown.content),
        quoteOf(reply.event, reply.content),
        quoteOf(`${run.place}/outcome`, run.outcome),
      ],
      repair: tool === undefined ? null : describedTool(tool, `Returns: ${shown.content.slice(0, 80)}`, harness),
    },
  ];
}

function numbersOf(text: string): number[] {
  return (text.replace(/(\d),(?=\d{3})/g, '$1').match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);
}
