import { type CaseRule, type Clue, findSetting, quoteOf } from './case-rule.ts';

/** Replies without any text or call: the loop or a stop string ended the turn before it began. */
export const voidReply: CaseRule = {
  name: 'void-reply',
  clues: ({ failing, facts }) => {
    const empty = failing.flatMap((run) =>
      run.steps.filter(
        ({ role, content, calls }) => role === 'assistant' && content.trim() === '' && calls.length === 0,
      ),
    );
    const [first] = empty;
    if (first === undefined) return [];
    const stop = findSetting(facts, ['stop']);
    const clue: Clue = {
      label: 'middleware_mismatch',
      component: stop === undefined ? 'middleware' : 'settings',
      path: stop?.path ?? '/middleware',
      mechanism: 'void-turn',
      explanation: 'The model’s turn came back empty.',
      weight: 1.8,
      evidence: empty.slice(0, 3).map((step) => quoteOf(step.event, '(empty reply)')),
      repair: stop === undefined ? null : [{ path: stop.path, old: stop.value, new: null }],
    };
    return [clue];
  },
};
