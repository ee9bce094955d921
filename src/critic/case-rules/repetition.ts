import { canonicalJson } from '../../base/content-hash.ts';
import type { CaseRun, CaseStep } from '../cases/case.ts';
import { type CaseRule, type CaseView, type Clue, findSetting, quoteOf, stepsOf } from './case-rule.ts';
import { addedText, onlyFitting } from './fitting-repair.ts';

const ERROR =
  /\b(error|fail(ed|ure)?|exception|timed? ?out|timeout|denied|unavailable|refused|rate limit|5\d\d|429)\b/i;
const TRANSIENT =
  /\b(timed? ?out|timeout|temporar|unavailable|connection (reset|refused|error)|rate.?limit|too many requests|(?<![\d,.])(50[0234]|429)(?![\d,.])|try again|retry|overloaded|busy)\b/i;

/** The same call or reply again and again without a change, a loop that gives up at the first passing trouble, or one call that runs twice. */
export const repetition: CaseRule = {
  name: 'repetition',
  clues: (view) =>
    view.failing
      .slice(0, 4)
      .flatMap((run) => [...repeats(run, view), ...givesUp(run, view), ...runsTwice(run), ...notRun(run)]),
};

function repeats(run: CaseRun, { facts, harness }: CaseView): Clue[] {
  const replies = stepsOf(run, 'assistant');
  const key = ({ content, calls }: CaseStep) => (calls.length > 0 ? canonicalJson(calls) : content.trim());
  const again = replies.filter(
    (step, index) => key(step) !== '' && index > 0 && key(step) === key(replies[index - 1] as CaseStep),
  );
  const [first] = again;
  if (first === undefined) return [];
  const between = run.steps.slice(run.steps.indexOf(first) - 1, run.steps.indexOf(first));
  const afterError = between.some(({ content }) => ERROR.test(content));
  const isHelpless = between.some(({ content, role }) => role !== 'assistant' && content.trim().length < 20);
  const setting = findSetting(facts, ['retry', 'retries', 'attempts', 'loop', 'repeat', 'dedupe']);
  return [
    {
      label: 'middleware_mismatch',
      component: afterError ? 'retry' : 'middleware',
      path: setting?.path ?? (afterError ? '/retry' : '/middleware'),
      mechanism: afterError ? 'retry-without-change' : 'unbroken-loop',
      explanation: afterError
        ? 'The same call is made again after its error, word for word, and the loop lets it.'
        : 'The model repeats itself and nothing in the loop breaks it.',
      weight: Math.min(2.2, 0.9 + 0.5 * again.length + (isHelpless ? 0.3 : 0)),
      evidence: again.slice(0, 3).map((step) => quoteOf(step.event, step.content || JSON.stringify(step.calls))),
      repair: addedText(
        harness,
        typeof setting?.value === 'string' ? setting.path : afterError ? '/retry' : '/middleware',
        'stop or tell the model when it repeats a call',
      ),
    },
  ];
}

function givesUp(run: CaseRun, { facts, harness }: CaseView): Clue[] {
  const last = run.steps.findLast(({ role }) => role === 'tool' || role === 'note');
  if (last === undefined || !TRANSIENT.test(last.content.slice(0, 1_000))) return [];
  const later = run.steps.slice(run.steps.indexOf(last) + 1);
  if (later.some(({ calls }) => calls.length > 0)) return [];
  const setting = facts.settings.find(({ component, value }) => component === 'retry' && typeof value === 'number');
  const tries = new Set(run.steps.flatMap(({ calls }) => calls.map((call) => JSON.stringify(call)))).size;
  const isOff = setting === undefined || setting.value === 0 || setting.value === 1;
  return [
    {
      label: 'middleware_mismatch',
      component: 'retry',
      path: setting?.path ?? '/retry',
      mechanism: 'passing-trouble-not-retried',
      explanation: 'A passing trouble of a tool ended the work; nothing tried again.',
      weight: tries > 3 ? 0.8 : isOff ? 2.3 : 1.4,
      evidence: [quoteOf(last.event, last.content)],
      repair: onlyFitting(
        [
          {
            path: setting?.path ?? '/retry',
            old: setting?.value ?? null,
            new: typeof setting?.value === 'number' ? Math.max(3, setting.value + 2) : 3,
          },
        ],
        harness,
      ),
    },
  ];
}

function runsTwice(run: CaseRun): Clue[] {
  const twice = run.steps.find((step, index) => {
    const [before, caller] = [run.steps[index - 1], run.steps[index - 2]];
    return step.role === 'tool' && before?.role === 'tool' && caller?.role === 'assistant' && caller.calls.length === 1;
  });
  if (twice === undefined) return [];
  return [
    {
      label: 'middleware_mismatch',
      component: 'middleware',
      path: '/middleware',
      mechanism: 'call-ran-twice',
      explanation: 'One call brought two results: the loop ran it twice.',
      weight: 2,
      evidence: [quoteOf(twice.event, twice.content)],
      repair: null,
    },
  ];
}

/** A reply made several calls as data, and fewer results came back although the run went on. */
function notRun(run: CaseRun): Clue[] {
  const short = run.steps.find((step, index) => {
    const later = run.steps.slice(index + 1);
    const end = later.findIndex(({ role }) => role === 'assistant');
    const results = later.slice(0, end === -1 ? later.length : end).filter(({ role }) => role === 'tool').length;
    return step.hasNativeCalls && step.calls.length > 1 && end !== -1 && results > 0 && results < step.calls.length;
  });
  if (short === undefined) return [];
  return [
    {
      label: 'middleware_mismatch',
      component: 'middleware',
      path: '/loop',
      mechanism: 'call-not-run',
      explanation: 'A reply made several calls, and the loop ran only some of them.',
      weight: 1.9,
      evidence: [quoteOf(short.event, JSON.stringify(short.calls))],
      repair: null,
    },
  ];
}
