import { blameLoop, type CaseRule, quoteOf, stepsOf } from './case-rule.ts';

const INCOMPLETE =
  /\b(missing|incomplete|unfinished|lacks?|without|cut|breaks? off|broken off|ends? (after|before|in|with|at)|only (the )?(first|one|half)|half|no (steps|answer|result|rest|second)|stops?|empty|truncated)\b/i;

/** A stop string that any ordinary reply would hold, no reply that holds it, and something missing at the end. */
export const stopString: CaseRule = {
  name: 'stop-string',
  clues: ({ failing, facts, case: subject }) => {
    const replies = failing.flatMap((run) => stepsOf(run, 'assistant'));
    const stop = facts.settings.find(
      ({ words, value }) =>
        words.some((word) => ['stop', 'stops', 'stopwords'].includes(word)) &&
        typeof value === 'string' &&
        value !== '' &&
        (value.trim().length <= 1 || /^\p{L}+$/u.test(value.trim())),
    );
    const text = String(stop?.value ?? '');
    const last = replies.at(-1);
    if (stop === undefined || last === undefined || replies.some(({ content }) => content.includes(text))) return [];
    const isIncomplete = [subject.problem, ...failing.map(({ outcome }) => outcome)].some((told) =>
      INCOMPLETE.test(told),
    );
    return [
      {
        ...blameLoop(stop, stop.path),
        component: stop.component === 'middleware' ? 'middleware' : 'settings',
        mechanism: 'stop-cuts-reply',
        explanation: `Replies end where ${JSON.stringify(text)} would have come: the stop string cuts them.`,
        weight: isIncomplete ? 2.4 : 1.1,
        evidence: [quoteOf(last.event, last.content)],
      },
    ];
  },
};
