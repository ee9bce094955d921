import { blameLoop, type CaseRule, type Clue, quoteOf } from './case-rule.ts';

const TIMED_OUT =
  /\btimed? ?out\b|\btimeout\b|\bdeadline\b|\btook too long\b|\bhung\b|\bhang(s|ing)?\b|\btime limit\b|\b(cancel+ed|killed|stopped|aborted|gave up) after \d+ ?(ms|s|sec|seconds|minutes|min)\b/i;

/** A part or the whole ran out of time. */
export const timeOut: CaseRule = {
  name: 'time-out',
  clues: ({ failing, facts }) => {
    const steps = failing.flatMap((run) => [
      ...run.steps
        .filter(({ role, content }) => (role === 'tool' || role === 'note') && TIMED_OUT.test(content.slice(0, 500)))
        .map(({ event, content, role }) => ({ event, content, isNote: role === 'note' })),
      ...(TIMED_OUT.test(run.outcome) ? [{ event: `${run.place}/outcome`, content: run.outcome, isNote: true }] : []),
    ]);
    const [first] = steps;
    if (first === undefined) return [];
    const limit = facts.settings.find(
      ({ words, value }) =>
        typeof value === 'number' &&
        words.some((word) => ['timeout', 'wall', 'deadline', 'seconds', 'ms', 'time'].includes(word)),
    );
    const clue: Clue = {
      ...blameLoop(limit, '/limits'),
      mechanism: 'time-limit',
      explanation: 'Time ran out, and the loop had no other way.',
      weight: limit === undefined ? (first.isNote ? 1.4 : 0.7) : 1.9,
      evidence: steps.slice(0, 3).map(({ event, content }) => quoteOf(event, content)),
      repair: typeof limit?.value === 'number' ? [{ path: limit.path, old: limit.value, new: limit.value * 4 }] : null,
    };
    return [clue];
  },
};
