import type { FactSetting } from '../harness-facts/harness-facts.ts';
import { blameLoop, type CaseRule, type CaseView, type Clue, quoteOf, stepsOf } from './case-rule.ts';

const REFUSES =
  /\b(denied|deny|blocked|rejected|refused|forbidden|not allowed|disallowed|vetoed|unsafe|policy|suppressed|filtered|intercepted|replaced|removed|stripped|rewrote|rewritten)\b/i;
const MASK =
  /([#*X█•_])\1{2,}|\[(redacted|masked|removed|filtered|hidden|censored)\]|<(redacted|masked|removed|hidden)>/i;

/** A hook of φ is seen at work where it does harm: it names itself in a refusal, or its mask stands in what was said. */
export const hookAtWork: CaseRule = {
  name: 'hook-at-work',
  clues: (view) => {
    const hooks = view.facts.settings.filter(({ component }) => component === 'middleware');
    return hooks.length === 0 ? [] : [...refusals(view, hooks), ...masks(view, hooks)].slice(0, 1);
  },
};

function hookClue(hook: FactSetting, mechanism: string, explanation: string, evidence: Clue['evidence']): Clue {
  return {
    ...blameLoop(hook, hook.path),
    mechanism,
    explanation,
    weight: 2.5,
    evidence,
  };
}

function refusals({ failing }: CaseView, hooks: readonly FactSetting[]): Clue[] {
  const names = hooks.filter(({ value }) => typeof value === 'string' && /^[\w.-]{4,40}$/.test(value));
  for (const step of failing.flatMap(({ steps }) => steps)) {
    if (step.role !== 'note' && step.role !== 'tool') continue;
    const text = step.content.slice(0, 500);
    const named = names.find(({ value }) => text.includes(String(value)));
    // What the loop itself refuses needs no name: only a hook can have done it.
    const hook = named ?? (step.role === 'note' ? hooks[0] : undefined);
    if (hook === undefined || !REFUSES.test(text)) continue;
    return [
      hookClue(hook, 'hook-refuses', 'A hook stopped or changed what the model did.', [
        quoteOf(step.event, step.content),
      ]),
    ];
  }
  return [];
}

function masks({ failing }: CaseView, hooks: readonly FactSetting[]): Clue[] {
  for (const run of failing) {
    const said = stepsOf(run, 'assistant').find(({ content }) => MASK.test(content));
    const mask = said === undefined ? undefined : MASK.exec(said.content)?.[0];
    if (said === undefined || mask === undefined || run.task.includes(mask)) continue;
    const hook = hooks.find(({ value }) => String(value).includes(mask));
    const isFromElsewhere = stepsOf(run, 'user', 'tool').some(({ content }) => content.includes(mask));
    if (isFromElsewhere || hook === undefined) continue;
    return [
      hookClue(hook, 'hook-masks-reply', 'A hook put its mask where the reply had a value.', [
        quoteOf(said.event, said.content),
      ]),
    ];
  }
  return [];
}
