import type { CaseRun } from '../cases/case.ts';
import { contentWords, sentencesOf } from '../directives.ts';
import { emptySkillPlace } from '../harness-facts/empty-skill-place.ts';
import { type CaseRule, type CaseView, type Clue, harnessEvent, quoteOf } from './case-rule.ts';
import { addedText } from './fitting-repair.ts';

const DEMAND =
  /\b(must|should|shall|needs? to|have to|has to|ought to|may not|never|always|only|not allowed|forbidden|required?|requires?|above|below|over|under|at most|at least|limit|before|after|first|instead|according to|policy)\b/i;
const VERDICT =
  /\b(fail(s|ed|ure)?|pass(ed|es)?|wrong|incorrect|error|rejected|reviewers?|reviewed|checker|grader|verdict|outcome|expected|violat\w+|but|because|reason|detail|status|score)\b/gi;
const PROCEDURE = /\b(first|before|after|then|check|step|branch|routine|procedure|order|start with|last)\b/i;
/** Share of a demand's words that a text must hold to have said it. */
const SAID = 0.75;
const UNSAID = 0.5;

/** What an outcome demands, held against what φ says: a demand that stands nowhere cannot be obeyed, one that stands there plainly was broken by the model. */
export const unstatedRule: CaseRule = {
  name: 'unstated-rule',
  clues: (view) => {
    const demands = view.failing.flatMap((run) => demandOf(run));
    const [first] = demands;
    if (first === undefined || view.harness === null) return [];
    const sentences = [...view.facts.prompts, ...view.facts.skills].flatMap(({ path, text }) =>
      sentencesOf(text).map((sentence) => ({ path, sentence, words: contentWords(sentence) })),
    );
    const known = new Set(sentences.flatMap(({ words }) => [...words]));
    const said = sentences.find(({ words }) => heldShare(first.words, words) >= SAID);
    if (said !== undefined) return [brokenRule(view, first, said)];
    const isUnsaid = demands.every(({ words }) => heldShare(words, known) <= UNSAID);
    return isUnsaid && demands.length * 2 >= view.failing.length ? [unsaidRule(view, demands)] : [];
  },
};

interface Demand {
  run: CaseRun;
  text: string;
  words: Set<string>;
}

function demandOf(run: CaseRun): Demand[] {
  if (!DEMAND.test(run.outcome)) return [];
  const words = contentWords(run.outcome.replace(VERDICT, ' '));
  const asked = contentWords(run.task);
  const own = new Set([...words].filter((word) => !asked.has(word)));
  return own.size < 2 ? [] : [{ run, text: run.outcome, words: own }];
}

function heldShare(words: ReadonlySet<string>, text: ReadonlySet<string>): number {
  return [...words].filter((word) => text.has(word)).length / Math.max(1, words.size);
}

function brokenRule(view: CaseView, demand: Demand, said: { path: string; sentence: string }): Clue {
  return {
    label: 'agent_error',
    component: null,
    path: null,
    mechanism: 'breaks-stated-rule',
    explanation: 'The instructions say what was demanded, and the reply does not keep to it.',
    weight: view.passing.length > 0 ? 1.4 : 0.9,
    evidence: [
      quoteOf(harnessEvent(demand.run, said.path), said.sentence),
      quoteOf(`${demand.run.place}/outcome`, demand.text),
    ],
    repair: null,
  };
}

function unsaidRule(view: CaseView, demands: readonly Demand[]): Clue {
  const [first] = demands as [Demand, ...Demand[]];
  const place = routinePlace(view, first);
  const isProcedure = PROCEDURE.test(first.text) && place !== null;
  const prompt = view.facts.prompts[0];
  const path = isProcedure ? place : (prompt?.path ?? '/prompt');
  return {
    label: isProcedure ? 'skill_missing' : 'prompt_ambiguity',
    component: isProcedure ? 'skill' : 'prompt',
    path,
    mechanism: 'demand-never-stated',
    explanation: 'What the outcome demands stands nowhere in what the model was told.',
    weight: 1.2 + (demands.length > 1 ? 0.5 : 0),
    evidence: demands.slice(0, 3).map(({ run, text }) => quoteOf(`${run.place}/outcome`, text)),
    repair: addedText(view.harness, path, first.text),
  };
}

/** Where a routine for a demand would stand: a place that holds none, or routines that are all about something else. */
function routinePlace({ harness, facts }: CaseView, { words, run }: Demand): string | null {
  const empty = emptySkillPlace(harness);
  if (empty !== null) return empty;
  const wanted = words.union(contentWords(run.task));
  const isForeign = facts.skills.every(({ text }) => heldShare(wanted, contentWords(text)) === 0);
  return isForeign ? (facts.skills[0]?.path ?? null) : null;
}
