import type { CaseRun } from '../cases/case.ts';
import { expectedAnswer, finalReply, mentions } from '../cases/expected-answer.ts';
import { VARIES } from './answer-form.ts';
import { type CaseRule, type CaseView, type Clue, quoteOf, stepsOf } from './case-rule.ts';
import { openChoiceOf } from './open-choice.ts';

/** The model had what it needed and erred all the same: what was wanted stands in what it was shown, or its arithmetic is wrong. */
export const ownReasoning: CaseRule = {
  name: 'own-reasoning',
  clues: (view) =>
    view.failing
      .slice(0, 4)
      .flatMap((run) => [
        ...(openChoiceOf(run, view) === null ? hadIt(run, view) : []),
        ...miscounted(run),
        ...misquoted(run),
      ]),
};

function agentClue(mechanism: string, explanation: string, weight: number, evidence: Clue['evidence']): Clue {
  return { label: 'agent_error', component: null, path: null, mechanism, explanation, weight, evidence, repair: null };
}

function hadIt(run: CaseRun, { failing, passing }: CaseView): Clue[] {
  const wanted = expectedAnswer(run);
  const reply = finalReply(run);
  if (wanted === null || reply === null || mentions(reply.content, wanted.expected)) return [];
  // A slip happens now and then; what happens every time has another reason.
  const isAlways = failing.length > 1 && passing.length === 0;
  const shown = stepsOf(run, 'tool').findLast(({ content }) => mentions(content, wanted.expected));
  if (shown === undefined) return [];
  return [
    agentClue(
      'answer-was-shown',
      'A tool had given what was wanted, and the model answered something else.',
      isAlways ? 1.2 : 1.8,
      [quoteOf(shown.event, shown.content), quoteOf(reply.event, reply.content)],
    ),
  ];
}

/** A number is read from its first digit on: a long list of them is gone through once. */
const EQUATION =
  /(?<![\d,])(-?\d[\d,]*(?:\.\d+)?)\s*([+\-*/×x÷])\s*(-?\d[\d,]*(?:\.\d+)?)\s*=\s*\$?(-?\d[\d,]*(?:\.\d+)?)/g;

function miscounted(run: CaseRun): Clue[] {
  for (const step of stepsOf(run, 'assistant')) {
    for (const match of step.content.matchAll(EQUATION)) {
      const [text, left, operator, right, result] = match;
      const [a, b, c] = [left, right, result].map((part) => Number((part ?? '').replaceAll(',', '')));
      const value = apply(operator ?? '', a ?? 0, b ?? 0);
      if (
        c === undefined ||
        value === null ||
        Math.abs(value - c) <= Math.max(0.05 * Math.abs(value), 0.5) * (Number.isInteger(c) ? 1 : 0.2)
      )
        continue;
      return [agentClue('arithmetic-slip', `The model computed wrongly: ${text}.`, 2, [quoteOf(step.event, text)])];
    }
  }
  return [];
}

function apply(operator: string, a: number, b: number): number | null {
  if (operator === '+') return a + b;
  if (operator === '-') return a - b;
  if (operator === '*' || operator === '×' || operator === 'x') return a * b;
  return b === 0 ? null : a / b;
}

/** The final reply gives a number as found that no tool and nobody else ever gave, although a tool had answered with one. */
function misquoted(run: CaseRun): Clue[] {
  const reply = finalReply(run);
  const last = stepsOf(run, 'tool').at(-1);
  if (reply === null || last === undefined || run.steps.at(-1)?.event !== reply.event) return [];
  const value = last.content.trim().replaceAll(',', '');
  if (!/^-?\$?\d+(\.\d+)?$/.test(value)) return [];
  const said = reply.content.replaceAll(',', '').match(/-?\d+(\.\d+)?/g) ?? [];
  if (
    said.length === 0 ||
    said.some((number) => Number(number) === Number(value.replace('$', '')) || value.startsWith(number))
  )
    return [];
  return [
    agentClue('copied-wrongly', 'A tool gave one value, and the reply states another.', 1.5, [
      quoteOf(last.event, last.content),
      quoteOf(reply.event, reply.content),
    ]),
  ];
}

/** The same harness passes elsewhere: what it says can be obeyed. */
export const passesElsewhere: CaseRule = {
  name: 'passes-elsewhere',
  clues: ({ passing, failing, case: subject }) => {
    // Runs that go different ways say that the way is open, not that it can be kept.
    if (VARIES.test(subject.problem)) return [];
    const same = passing.find((good) =>
      failing.some((bad) => JSON.stringify(good.harness) === JSON.stringify(bad.harness)),
    );
    if (same === undefined) return [];
    const isAlike = failing.some(({ task }) => task.length < same.task.length * 1.5 + 20);
    const isSameTask = failing.some(({ task }) => task.trim() !== '' && task.trim() === same.task.trim());
    return [
      agentClue(
        'passes-elsewhere',
        'The same harness carries other runs through.',
        isSameTask ? 1.2 : isAlike ? 0.5 : 0.2,
        [quoteOf(`${same.place}/outcome`, same.outcome)],
      ),
    ];
  },
};
