import type { CaseRun } from '../cases/case.ts';
import { bare, expectedAnswer, finalReply, mentions } from '../cases/expected-answer.ts';
import { jsonObjects } from '../written-calls.ts';
import { addedInstruction, type CaseRule, type CaseView, quoteOf, stepsOf } from './case-rule.ts';

/** A result held several values of one kind, one of them was wanted and another given, and nothing says which is meant. */
export const openChoice: CaseRule = {
  name: 'open-choice',
  clues: (view) => {
    const open = view.failing.flatMap((run) => openChoiceOf(run, view) ?? []);
    const [first] = open;
    if (first === undefined) return [];
    const prompt = view.facts.prompts[0];
    return [
      {
        label: 'prompt_ambiguity',
        component: 'prompt',
        path: prompt?.path ?? '/prompt',
        mechanism: 'left-open-which-value',
        explanation: `The result holds "${first.wanted}" and "${first.given}"; nothing says which of them is wanted.`,
        weight: open.length > 1 ? 2.2 : 1.6,
        evidence: open.slice(0, 2).map(({ event, content }) => quoteOf(event, content)),
        repair: addedInstruction(view, `Give "${first.wanted}".`),
      },
    ];
  },
};

interface OpenChoice {
  event: string;
  content: string;
  /** Keys of the value that was wanted and of the one that was given. */
  wanted: string;
  given: string;
}

/** The choice that a failing run got wrong between values of one result; null where task or instructions name one of them. */
export function openChoiceOf(run: CaseRun, { facts }: Pick<CaseView, 'facts'>): OpenChoice | null {
  const expected = expectedAnswer(run)?.expected;
  const reply = finalReply(run)?.content;
  if (expected === undefined || reply === undefined) return null;
  const told = bare(
    [run.task, ...facts.prompts.map(({ text }) => text), ...facts.skills.map(({ text }) => text)].join(' '),
  );
  for (const { event, content } of stepsOf(run, 'tool')) {
    for (const { value } of jsonObjects(content)) {
      const members = Object.entries(value).filter(([, member]) => ['number', 'string'].includes(typeof member));
      const wanted = members.find(([, member]) => bare(String(member)) === bare(expected))?.[0];
      const given = members.find(([key, member]) => key !== wanted && mentions(reply, String(member)))?.[0];
      if (wanted === undefined || given === undefined || mentions(reply, expected)) continue;
      if ([wanted, given].some((key) => mentions(told, key.replace(/_/g, ' ')))) continue;
      return { event, content, wanted, given };
    }
  }
  return null;
}
