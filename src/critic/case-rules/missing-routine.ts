import { pointerStep } from '../../base/json-pointer.ts';
import type { CaseRun } from '../cases/case.ts';
import { contentWords, jaccard } from '../directives.ts';
import { nameWords } from '../harness-facts/harness-facts.ts';
import { type CaseRule, type CaseView, type Clue, harnessEvent, quoteOf, stepsOf } from './case-rule.ts';
import { addedText } from './fitting-repair.ts';

const FEWEST_CALLS = 3;
const SKILL_KEY = /skill|playbook|routine|recipe|procedure|workflow|runbook/i;

/** The agent builds the same routine again in run after run, or gropes for one: what a skill would give it. */
export const missingRoutine: CaseRule = {
  name: 'missing-routine',
  clues: (view) => [...rebuilt(view), ...rewritten(view), ...groping(view), ...oneGo(view), ...stepLeftOut(view)],
};

function clue(
  view: CaseView,
  mechanism: string,
  explanation: string,
  weight: number,
  evidence: Clue['evidence'],
  routine: string,
): Clue {
  const [skill] = view.facts.skills;
  const emptyPlace = Object.entries(typeof view.harness === 'object' ? (view.harness ?? {}) : {}).find(
    ([key, value]) => SKILL_KEY.test(key) && typeof value === 'object' && Object.keys(value ?? {}).length === 0,
  )?.[0];
  const hasPlace = emptyPlace !== undefined;
  return {
    label: 'skill_missing',
    component: 'skill',
    path: skill?.path ?? '/skills',
    mechanism,
    explanation,
    weight: weight + (view.facts.skills.length === 0 && hasPlace ? 0.4 : 0),
    evidence,
    repair: addedText(view.harness, hasPlace ? pointerStep(emptyPlace) : '/skills', routine),
  };
}

function toolSequence(run: CaseRun): string[] {
  return run.steps.flatMap(({ calls }) => calls.map(({ tool }) => tool));
}

/** One sequence of different tools, in runs of different tasks. */
function rebuilt(view: CaseView): Clue[] {
  const runs = view.case.runs
    .map((run) => ({ run, sequence: toolSequence(run) }))
    .filter(({ sequence }) => sequence.length >= FEWEST_CALLS);
  for (const [index, { run, sequence }] of runs.entries()) {
    for (const other of runs.slice(index + 1)) {
      const shared = longestShared(sequence, other.sequence);
      if (shared.length < FEWEST_CALLS || new Set(shared).size < 2 || run.task === other.run.task) continue;
      const evidence = [run, other.run].map((one) => quoteOf(one.place, toolSequence(one).join(' → ')));
      return [
        clue(
          view,
          'routine-rebuilt',
          `Run after run works out the same steps anew: ${shared.join(', ')}.`,
          1.2,
          evidence,
          `Routine: ${shared.join(', then ')}.`,
        ),
      ];
    }
  }
  return [];
}

function longestShared(left: readonly string[], right: readonly string[]): string[] {
  let best: string[] = [];
  for (let i = 0; i < left.length; i++) {
    for (let j = 0; j < right.length; j++) {
      let length = 0;
      while (i + length < left.length && left[i + length] === right[j + length]) length++;
      if (length > best.length) best = left.slice(i, i + length);
    }
  }
  return best;
}

/** Much the same code or plan written out in several runs. */
function rewritten(view: CaseView): Clue[] {
  const long = view.case.runs.flatMap((run) =>
    stepsOf(run, 'assistant').flatMap((step) =>
      codeOf(step.content, step.calls).map((code) => ({ run, step, code, words: contentWords(code) })),
    ),
  );
  for (const [index, one] of long.entries()) {
    const other = long.slice(index + 1).find(({ run, words }) => run !== one.run && jaccard(words, one.words) >= 0.5);
    if (other === undefined) continue;
    return [
      clue(
        view,
        'code-rewritten',
        'Run after run writes much the same code from nothing.',
        2.2,
        [quoteOf(one.step.event, one.code), quoteOf(other.step.event, other.code)],
        one.code,
      ),
    ];
  }
  return [];
}

function codeOf(content: string, calls: CaseRun['steps'][number]['calls']): string[] {
  const blocks = [...content.matchAll(/```[\w-]*\n([\s\S]{80,}?)(?:```|$)/g)].map((match) => match[1] ?? '');
  const given = calls
    .flatMap(({ arguments: values }) => Object.values(values))
    .filter((value) => typeof value === 'string' && value.length >= 80 && /[\n;{(=]/.test(value));
  return [...blocks, ...given.map(String)];
}

/** One tool tried in many ways, mostly in vain. */
function groping(view: CaseView): Clue[] {
  return view.failing.slice(0, 3).flatMap((run): Clue[] => {
    const calls = run.steps.flatMap((step) => step.calls.map((call) => ({ step, call })));
    const most = [...Map.groupBy(calls, ({ call }) => call.tool).values()].sort((a, b) => b.length - a.length)[0] ?? [];
    const distinct = new Set(most.map(({ call }) => JSON.stringify(call.arguments)));
    if (distinct.size < 4) return [];
    const inVain = run.steps.filter(
      ({ role, content }) => role === 'tool' && IN_VAIN.test(content.slice(0, 200)),
    ).length;
    return [
      clue(
        view,
        'trial-and-error',
        `${most[0]?.call.tool} was tried in ${distinct.size} ways: no routine says how this is done.`,
        inVain >= 2 ? 2 : 1.2,
        most.slice(0, 3).map(({ step, call }) => quoteOf(step.event, JSON.stringify(call))),
        `How to use ${most[0]?.call.tool} for this kind of task, step by step.`,
      ),
    ];
  });
}

const IN_VAIN =
  /\b(40[0-9]|not found|no (match|result)\w*|nothing|denied|unauthori[sz]ed|forbidden|invalid|error|failed)\b/i;

const PARTS =
  /\b(then|after that|afterwards|finally|for each|for every|in turn|step by step|first\b.*\bthen|one by one|and also|as well as|all of the|each of)\b/i;

/** A task of several parts, done in one go, and no skill says how to take it apart. Surer where tasks of one part pass. */
function oneGo(view: CaseView): Clue[] {
  return view.failing.slice(0, 1).flatMap((run): Clue[] => {
    const listed = (run.task.match(/^[^\S\n]*(?:\d+[.)]|[-*])\s/gm) ?? []).length;
    const isManyPart = listed >= 3 || (run.task.length > 100 && PARTS.test(run.task));
    const work = run.steps.flatMap(({ calls }) => calls).length;
    if (!isManyPart || work > 2 || view.facts.skills.length > 0 || view.facts.tools.length === 0) return [];
    const passesWhole = view.passing.some(({ task }) => task.length * 1.5 < run.task.length);
    const evidence = [quoteOf(run.place, run.task), quoteOf(harnessEvent(run, '/skills'), '(none)')];
    const routine = 'Take the task apart, do the parts in order, and check each before the next.';
    const why = 'A task of several parts is done in one go; nothing says how to take it apart.';
    return [clue(view, 'no-decomposition', why, passesWhole ? 1.7 : 1, evidence, routine)];
  });
}

/** A tool that would check or finish the work is offered and used in no failing run: the agent knows the goal and not the way. */
function stepLeftOut(view: CaseView): Clue[] {
  const told = contentWords(view.failing.map(({ outcome }) => outcome).join(' '));
  const isMissed = (name: string) =>
    [...contentWords(nameWords(name).join(' '))].some((word) => word.length > 3 && told.has(word));
  const used = new Set(view.failing.flatMap(toolSequence));
  const left = view.facts.tools.find(
    ({ name }) =>
      !used.has(name) &&
      (CHECKING.test(name.replace(/_/g, ' ')) ||
        isMissed(name) ||
        view.passing.some((run) => toolSequence(run).includes(name))),
  );
  const [run] = view.failing;
  const isIdle = used.size === 0 && !view.passing.some((good) => new Set(toolSequence(good)).size >= 2);
  if (left === undefined || run === undefined || isIdle || view.facts.skills.length > 0) return [];
  const isKnown = view.passing.some((good) => toolSequence(good).includes(left.name));
  const evidence = [
    quoteOf(harnessEvent(run, left.path), left.name),
    quoteOf(run.place, toolSequence(run).join(' → ')),
  ];
  return [
    clue(
      view,
      'step-left-out',
      `${left.name} is offered, and no failing run gets to it: no routine holds that step.`,
      isKnown ? 1.2 : view.failing.length > 1 ? (isMissed(left.name) ? 1.5 : 1.1) : 0.7,
      evidence,
      `Before the end: ${left.name}.`,
    ),
  ];
}

const CHECKING = /\b(test|tests|check|verify|validate|lint|review|preview|diff|compare|confirm)\b/i;
