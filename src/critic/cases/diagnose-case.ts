import { valueAt } from '../../base/json-pointer.ts';
import type { ComponentKind } from '../../harness/harness.ts';
import { ATTRIBUTION_LABELS, type AttributionLabel } from '../attribution.ts';
import { type CaseRule, type CaseView, type Clue, quoteOf, type Repair, viewOf } from '../case-rules/case-rule.ts';
import { CASE_RULES } from '../case-rules/case-rules.ts';
import { addedText, onlyFitting, wholeEntry } from '../case-rules/fitting-repair.ts';
import type { Case } from './case.ts';
import type { CaseVerdict } from './case-verdict.ts';

/** What an abstention has to begin with: a cause must outweigh it before anything is changed. */
const ABSTENTION = 0.6;
/** Each further clue of a label counts that much less: clues of one cause are not independent. */
const DECAY = 0.5;
const MOST_EVIDENCE = 5;

const DEFAULT_PLACE: Readonly<Record<AttributionLabel, { component: ComponentKind | null; path: string }>> = {
  prompt_ambiguity: { component: 'prompt', path: '/prompt' },
  tool_schema_error: { component: 'tool', path: '/tools' },
  skill_missing: { component: 'skill', path: '/skills' },
  middleware_mismatch: { component: 'middleware', path: '/middleware' },
  memory_overflow: { component: 'memory', path: '/memory' },
  agent_error: { component: null, path: '' },
};

/**
 * The likeliest cause of a case, without a model. Clues of all rules are added up per label on the scale of log odds; `agent_error` wins where
 * no cause outweighs it. Deterministic. Confidence is the label's share of the odds, at most .95.
 */
export function diagnoseCase(subject: Case, rules: readonly CaseRule[] = CASE_RULES): CaseVerdict {
  const view = viewOf(subject);
  const clues = rules.flatMap((rule) => rule.clues(view));
  const totals = labelTotals(clues);
  const label = ATTRIBUTION_LABELS.reduce(
    (best, candidate) => (totals[candidate] > totals[best] ? candidate : best),
    'agent_error' as AttributionLabel,
  );
  const own = clues.filter((clue) => clue.label === label).sort((a, b) => b.weight - a.weight);
  return {
    id: subject.id,
    label,
    ...placeAndRepair(label, own, view.harness),
    confidence: confidenceOf(label, totals),
    evidence: evidenceOf(own, view),
    mechanism: sentenceOf(label, own),
  };
}

/** Summed weight of the clues for each label, the abstention's head start included. */
export function labelTotals(clues: readonly Clue[]): Record<AttributionLabel, number> {
  const totals = Object.fromEntries(
    ATTRIBUTION_LABELS.map((label) => [label, label === 'agent_error' ? ABSTENTION : 0]),
  ) as Record<AttributionLabel, number>;
  for (const [label, group] of Map.groupBy(clues, (clue) => clue.label)) {
    const byMechanism = [...Map.groupBy(group, ({ mechanism }) => mechanism).values()].map((same) =>
      Math.max(...same.map(({ weight }) => weight)),
    );
    totals[label] += byMechanism.sort((a, b) => b - a).reduce((sum, weight, rank) => sum + weight * DECAY ** rank, 0);
  }
  return totals;
}

function confidenceOf(label: AttributionLabel, totals: Readonly<Record<AttributionLabel, number>>): number {
  const odds = ATTRIBUTION_LABELS.map((candidate) => Math.exp(totals[candidate]));
  const share = Math.exp(totals[label]) / odds.reduce((sum, value) => sum + value, 0);
  return Math.round(Math.min(0.95, share) * 100) / 100;
}

function placeAndRepair(
  label: AttributionLabel,
  own: readonly Clue[],
  harness: unknown,
): Pick<CaseVerdict, 'component' | 'repair'> {
  if (label === 'agent_error') return { component: null, repair: null };
  const placed = own.find(({ path }) => path !== null);
  const place = placed === undefined ? DEFAULT_PLACE[label] : { component: placed.component, path: placed.path ?? '' };
  const repairs = own.find(({ repair }) => repair !== null && onlyFitting(repair, harness) !== null)?.repair;
  return {
    component: place.component,
    repair: repairs?.map((repair) => wholeEntry(repair, harness)) ?? genericRepair(label, place.path, harness),
  };
}

function genericRepair(label: keyof typeof GENERIC_REPAIR, path: string, harness: unknown): Repair[] | null {
  const standing = valueAt(harness, path);
  if (label === 'memory_overflow' && typeof standing === 'number' && standing > 0)
    return [{ path, old: standing, new: standing * 4 }];
  return addedText(harness, path, GENERIC_REPAIR[label]);
}

/** What a person would try where the evidence names the part and not the words. */
const GENERIC_REPAIR: Readonly<Record<Exclude<AttributionLabel, 'agent_error'>, string>> = {
  prompt_ambiguity: 'state what is wanted in one unambiguous sentence, and the form of the answer',
  tool_schema_error: 'make name, arguments and types of the schema those that the back end takes',
  skill_missing: 'write down the routine for this kind of step',
  middleware_mismatch: 'let the loop go on, try again or stop where this run needed it',
  memory_overflow: 'keep, or find again, what is needed later',
};

function evidenceOf(own: readonly Clue[], { case: subject, failing }: CaseView): CaseVerdict['evidence'] {
  const evidence = own.flatMap((clue) => clue.evidence).filter(({ quote }) => quote !== '');
  const seen = new Set<string>();
  const distinct = evidence
    .filter(({ event, quote }) => !seen.has(event + quote) && seen.add(event + quote))
    .slice(0, MOST_EVIDENCE);
  if (distinct.length > 0) return distinct;
  const [run] = failing;
  const last = run?.steps.at(-1);
  if (last !== undefined) return [quoteOf(last.event, last.content || JSON.stringify(last.calls))];
  return [quoteOf('problem', subject.problem || '(no steps and no problem are given)')];
}

function sentenceOf(label: AttributionLabel, own: readonly Clue[]): string {
  const told = own.find(({ mechanism }) => mechanism !== 'as-described') ?? own[0];
  if (told !== undefined) return told.explanation;
  return label === 'agent_error'
    ? 'Nothing in the harness stands out: what went wrong is the model’s own doing.'
    : 'See the evidence.';
}
