import { blameLoop, type CaseRule, findSetting, firstHook, quoteOf, stepsOf } from './case-rule.ts';

const ENDED =
  /\b(abort(ed|ing)?|ended|end of run|stopp(ed|ing)|terminat(ed|ing)|halt(ed|ing)?|exit(ed|ing)?|quit|interrupted|shut ?down|budget|limit|cancel+ed|gave up|giving up)\b/i;
const MEMORY = /\b(context|window|tokens?|memory|history|prompt)\b/i;

/** The last word of a run is the loop's own: it ended the run while the model could have gone on. */
export const endedByLoop: CaseRule = {
  name: 'ended-by-loop',
  clues: ({ failing, facts }) => {
    const last = failing.flatMap((run) => run.steps.at(-1) ?? []).find(({ role }) => role === 'note');
    if (last === undefined || !ENDED.test(last.content) || MEMORY.test(last.content)) return [];
    const setting =
      findSetting(facts, ['error', 'errors', 'failure', 'abort', 'exception']) ??
      findSetting(facts, ['max', 'limit', 'limits', 'budget', 'loop', 'timeout']);
    const place = blameLoop(setting, '/loop');
    return [
      {
        ...place,
        mechanism: 'loop-ended-run',
        explanation: 'The loop ended the run before the model could go on.',
        weight: 1.8,
        evidence: [quoteOf(last.event, last.content)],
        repair: place.repair?.map((edit) => ({ ...edit, new: letGoOn(edit.old) })) ?? null,
      },
    ];
  },
};

/** A bound is doubled, a switch is turned, anything else is taken away. */
function letGoOn(value: unknown): number | boolean | null {
  if (typeof value === 'number') return Math.max(value + 2, value * 2);
  return typeof value === 'boolean' ? !value : null;
}

/** The loop speaks up in the middle of a run: a hint that it did something that the model did not ask for. */
export const loopSpeaks: CaseRule = {
  name: 'loop-speaks',
  clues: ({ failing, passing, facts }) => {
    const notes = (runs: typeof failing) => runs.flatMap((run) => stepsOf(run, 'note'));
    const first = notes(failing).find(({ content }) => !MEMORY.test(content));
    if (first === undefined || notes(passing).length > 0) return [];
    return [
      {
        ...blameLoop(firstHook(facts), '/loop'),
        mechanism: 'loop-speaks',
        explanation: 'The loop reports something of its own where runs fail.',
        weight: 0.9,
        evidence: [quoteOf(first.event, first.content)],
        repair: null,
      },
    ];
  },
};
