import type { CaseRun } from '../cases/case.ts';
import type { FactSetting } from '../harness-facts/harness-facts.ts';
import { blameLoop, type CaseRule, type CaseView, quoteOf, stepsOf } from './case-rule.ts';

const REACHED =
  /\b(max(imum)?|step|turn|iteration|recursion|loop|call|round)s?[ _-]*(steps?|turns?|iterations?|calls?|rounds?|limit|budget|depth|number)?\b[^.\n]{0,30}\b(reached|exceeded|hit|exhausted|used up|ran out|limit)\b|\bran out of (steps|turns|iterations|calls)\b|\b(step|turn|iteration|call|recursion) (limit|budget|cap)\b/i;
const COUNTED = [
  'steps',
  'step',
  'turns',
  'turn',
  'iterations',
  'iteration',
  'calls',
  'rounds',
  'loop',
  'loops',
  'depth',
  'hops',
];

/** The run ended at its step limit in the middle of the work. */
export const stepLimit: CaseRule = {
  name: 'step-limit',
  clues: (view) => {
    const limit = limitOf(view);
    const hits = view.failing.flatMap((run) => hitOf(run, limit));
    const [first] = hits;
    if (first === undefined) return [];
    return [
      {
        ...blameLoop(limit, '/limits'),
        mechanism: 'step-limit-on-call',
        explanation: 'The step limit ended the run while the model was still calling tools.',
        weight: Math.max(...hits.map(({ weight }) => weight)),
        evidence: hits.slice(0, 3).map(({ event, text }) => quoteOf(event, text)),
        repair:
          typeof limit?.value === 'number'
            ? [{ path: limit.path, old: limit.value, new: Math.max(limit.value + 2, limit.value * 2) }]
            : null,
      },
    ];
  },
};

function limitOf({ facts }: CaseView): FactSetting | undefined {
  return facts.settings.find(
    ({ words, value, component }) =>
      typeof value === 'number' &&
      value > 0 &&
      component !== 'memory' &&
      component !== 'retry' &&
      words.some((word) => COUNTED.includes(word)) &&
      words.some((word) => ['max', 'limit', 'maximum', 'budget', 'cap', 'limits', 'allowed'].includes(word)),
  );
}

function hitOf(run: CaseRun, limit: FactSetting | undefined): { event: string; text: string; weight: number }[] {
  const told = [
    ...run.steps
      .filter(({ role }) => role !== 'assistant' && role !== 'system' && role !== 'user')
      .map(({ event, content }) => ({ event, content })),
    { event: `${run.place}/outcome`, content: run.outcome },
  ];
  const said = told.find(({ content }) => REACHED.test(content.slice(0, 1_500)));
  const replies = stepsOf(run, 'assistant');
  const last = run.steps.at(-1);
  const endsOnCall = last !== undefined && (last.calls.length > 0 || last.role === 'tool' || last.role === 'note');
  const isAtLimit = typeof limit?.value === 'number' && replies.length >= limit.value;
  const isRepeating =
    new Set(replies.map(({ content, calls }) => content + JSON.stringify(calls))).size < replies.length;
  const looping = isRepeating ? 1 : 0;
  if (said !== undefined) return [{ event: said.event, text: said.content, weight: 2.8 - looping }];
  if (isAtLimit && endsOnCall && last !== undefined)
    return [
      {
        event: last.event,
        text: `${replies.length} replies at a limit of ${limit.value}; the last step is ${last.content || JSON.stringify(last.calls)}`,
        weight: 2.6 - looping,
      },
    ];
  if (isAtLimit && last !== undefined && replies.length > 1)
    return [{ event: last.event, text: `${replies.length} replies at a limit of ${limit.value}`, weight: 0.6 }];
  return [];
}
