import type { CaseRun } from '../cases/case.ts';
import { contentWords } from '../directives.ts';
import type { FactSetting } from '../harness-facts/harness-facts.ts';
import { type CaseRule, type CaseView, type Clue, callsBefore, quoteOf, stepsOf } from './case-rule.ts';
import { isMemoryTool } from './lost-memory.ts';

const STATE_LOST =
  /\b(session|state|memory|store|cart|draft|context|profile)\b[^.\n]{0,30}\b(expired|reset|lost|cleared|empty|new|gone|wiped|timed out)\b|\bnothing (under|stored|saved|kept|on record)\b/i;
const FORGETS =
  /sliding|last[-_ ]?\w|drop|evict|fifo|lru|recen|truncat|oldest|window|trim|stateless|ephemeral|session/i;
/** Words of numbers that say how long, or in how many dimensions, and not how many. */
const OTHER_NUMBERS = ['ttl', 'minutes', 'seconds', 'hours', 'days', 'dim', 'dimension'];

/** A memory that keeps little, and a run that needed more of it: what comes back is about something else, or the conversation is longer than what is kept. */
export const weakRecall: CaseRule = {
  name: 'weak-recall',
  clues: (view) => {
    const settings = view.facts.settings.filter(({ component }) => component === 'memory');
    return view.failing
      .slice(0, 4)
      .flatMap((run) => [...irrelevant(run, view), ...stateLost(run, settings), ...outgrown(run, settings)]);
  },
};

function memoryClue(
  mechanism: string,
  explanation: string,
  weight: number,
  path: string,
  evidence: Clue['evidence'],
): Clue {
  return {
    label: 'memory_overflow',
    component: 'memory',
    path,
    mechanism,
    explanation,
    weight,
    evidence,
    repair: null,
  };
}

function irrelevant(run: CaseRun, { facts }: CaseView): Clue[] {
  for (const step of stepsOf(run, 'tool')) {
    const call = callsBefore(run, step).find(({ tool }) => isMemoryTool(tool));
    if (call === undefined) continue;
    const asked = contentWords(Object.values(call.arguments).map(String).join(' '));
    const given = contentWords(step.content);
    if (asked.size === 0 || [...asked].some((word) => given.has(word))) continue;
    const path = facts.settings.find(({ component }) => component === 'memory')?.path ?? '/memory';
    return [
      memoryClue('recall-is-irrelevant', 'What memory gave back is not about what was asked.', 2, path, [
        quoteOf(step.event, `${JSON.stringify(call.arguments)} → ${step.content}`),
      ]),
    ];
  }
  return [];
}

function stateLost(run: CaseRun, settings: readonly FactSetting[]): Clue[] {
  const step = run.steps.find(
    ({ role, content }) => (role === 'tool' || role === 'note') && STATE_LOST.test(content.slice(0, 500)),
  );
  if (step === undefined || settings.length === 0) return [];
  return [
    memoryClue('state-is-gone', 'State that an earlier turn had made was gone.', 2, settings[0]?.path ?? '/memory', [
      quoteOf(step.event, step.content),
    ]),
  ];
}

/** More turns than a limit of memory has room for; surer where the policy itself says that it forgets. */
function outgrown(run: CaseRun, settings: readonly FactSetting[]): Clue[] {
  if (stepsOf(run, 'user').length < 3) return [];
  const limit = settings.find(
    ({ value, words }) =>
      typeof value === 'number' &&
      value >= 1 &&
      value < run.steps.length &&
      !OTHER_NUMBERS.some((word) => words.includes(word)) &&
      !(words.includes('top') && words.includes('k')),
  );
  const policy = settings.find(({ value }) => typeof value === 'string' && FORGETS.test(value));
  const setting = limit ?? policy;
  if (setting === undefined) return [];
  return [
    memoryClue(
      'conversation-outgrows-memory',
      'The conversation is longer than what is kept of it.',
      limit !== undefined && policy !== undefined ? 1.9 : 1.3,
      setting.path,
      [quoteOf(`${run.place}/harness${setting.path}`, String(setting.value))],
    ),
  ];
}
