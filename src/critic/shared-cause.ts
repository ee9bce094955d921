import { contentHash } from '../base/content-hash.ts';
import type { ComponentKind, Harness } from '../harness/harness.ts';
import { isSuccess } from '../trajectory/is-success.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import type { AttributionLabel, Diagnosis } from './attribution.ts';
import { contentWords } from './directives.ts';
import { eventsOf } from './event-evidence.ts';
import { toolFile } from './harness-facts/facts-of-harness.ts';

/** Failures below which nothing is said to be shared. */
const FEWEST_FAILURES = 3;
/** Of the rollouts that a feature marks, the share that must fail. */
const LEAST_FAILING = 0.75;
/** Chance that so many of the failures would share some feature by accident, over all features that were looked at. */
const MOST_CHANCE = 0.05;
/** From here on a failure of all rollouts is not the model's. */
const ALL_FAILING = 0.9;
const FEWEST_OF_ALL = 8;

/**
 * Silent faults: every call went through and the value is wrong. A model errs here and there; a part of φ that is wrong strikes those rollouts that use
 * it. So failures that were left to the agent are laid to a tool or a routine where they share what the successes of the same φ lack: the tool that was
 * called, or what the task is about. Tested against chance (hypergeometric tail, corrected for the number of features).
 */
export function withSharedCauses(
  causes: readonly Diagnosis[],
  trajectories: readonly Trajectory[],
  harness: Harness,
): Diagnosis[] {
  const left = new Set<string>(causes.filter(({ label }) => label === 'agent_error').map(({ rollout }) => rollout));
  const failures = trajectories.filter((trajectory) => left.has(contentHash(trajectory.identity)));
  const successes = trajectories.filter(isSuccess);
  if (failures.length < FEWEST_FAILURES) return [...causes];
  const shared = sharedFeature(failures, successes);
  if (shared !== null) {
    const struck = new Set<string>(
      failures.filter((trajectory) => shared.marks(trajectory)).map((trajectory) => contentHash(trajectory.identity)),
    );
    const place = placeOf(shared, harness);
    return causes.map((cause) => (struck.has(cause.rollout) ? laidTo(cause, place, shared) : cause));
  }
  const scored = trajectories.filter(({ outcome }) => outcome.kind === 'scored').length;
  if (harness.skills.length === 0 || failures.length < FEWEST_OF_ALL || failures.length < scored * ALL_FAILING)
    return [...causes];
  const place = routinePlace(harness, wordsOf(failures[0] as Trajectory));
  return causes.map((cause) => (left.has(cause.rollout) ? laidTo(cause, place, null) : cause));
}

interface Feature {
  kind: 'tool' | 'word';
  name: string;
  /** Other features that mark the very same rollouts. */
  alike: readonly { kind: 'tool' | 'word'; name: string }[];
  failing: number;
  passing: number;
  marks(trajectory: Trajectory): boolean;
}

function sharedFeature(failures: readonly Trajectory[], successes: readonly Trajectory[]): Feature | null {
  const all = [...failures, ...successes].map((trajectory) => ({ trajectory, marks: marksOf(trajectory) }));
  const failed = new Set(failures);
  const counts = new Map<string, { failing: number; passing: number }>();
  for (const { trajectory, marks } of all) {
    for (const mark of marks) {
      const count = counts.get(mark) ?? { failing: 0, passing: 0 };
      if (failed.has(trajectory)) count.failing++;
      else count.passing++;
      counts.set(mark, count);
    }
  }
  const tested = [...counts].filter(([, { failing, passing }]) => failing + passing < all.length);
  const ranked = tested
    .filter(([, { failing, passing }]) => failing >= FEWEST_FAILURES && failing / (failing + passing) >= LEAST_FAILING)
    .map(([mark, count]) => ({
      mark,
      ...count,
      chance: tailOf(count.failing, count.failing + count.passing, failures.length, all.length) * tested.length,
    }))
    .filter(({ chance }) => chance <= MOST_CHANCE)
    .sort((a, b) => a.chance - b.chance || (a.mark < b.mark ? -1 : 1));
  const [best] = ranked;
  if (best === undefined) return null;
  const alike = ranked
    .filter(({ failing, passing }) => failing === best.failing && passing === best.passing)
    .map(({ mark }) => featureOf(mark));
  return {
    ...featureOf(best.mark),
    alike,
    failing: best.failing,
    passing: best.passing,
    marks: (trajectory) => marksOf(trajectory).has(best.mark),
  };
}

function featureOf(mark: string): { kind: 'tool' | 'word'; name: string } {
  return { kind: mark.startsWith('tool ') ? 'tool' : 'word', name: mark.slice(5) };
}

function marksOf(trajectory: Trajectory): Set<string> {
  const tools = [...eventsOf(trajectory, 'call-parsed'), ...eventsOf(trajectory, 'tool-returned')].map(
    ({ call }) => `tool ${call.tool}`,
  );
  return new Set([...tools, ...[...wordsOf(trajectory)].map((word) => `word ${word}`)]);
}

function wordsOf({ problem }: Trajectory): Set<string> {
  return new Set([...contentWords(problem)].filter((word) => !/\d/.test(word)));
}

/** P(at least `hits` of `drawn` are among the `marked` of `total`), hypergeometric. */
function tailOf(hits: number, drawn: number, marked: number, total: number): number {
  let tail = 0;
  for (let k = hits; k <= Math.min(drawn, marked); k++) {
    tail += Math.exp(logChoose(marked, k) + logChoose(total - marked, drawn - k) - logChoose(total, drawn));
  }
  return tail;
}

function logChoose(n: number, k: number): number {
  if (k < 0 || k > n) return Number.NEGATIVE_INFINITY;
  let sum = 0;
  for (let i = 1; i <= k; i++) sum += Math.log((n - k + i) / i);
  return sum;
}

interface Place {
  label: AttributionLabel;
  component: ComponentKind;
  path: string;
}

/**
 * A routine that speaks of what only these tasks are about, in words that no tool has, comes first; then the tool that they share; else nobody speaks of
 * them, and a routine is missing.
 */
function placeOf({ alike }: Feature, harness: Harness): Place {
  const words = new Set(alike.filter(({ kind }) => kind === 'word').map(({ name }) => name));
  const tool = alike.find(({ kind }) => kind === 'tool');
  const own = contentWords(
    harness.tools
      .filter(({ name }) => name === tool?.name)
      .map(
        ({ name, description, parameters }) =>
          `${name.replace(/[_.-]/g, ' ')} ${description} ${JSON.stringify(parameters)}`,
      )
      .join(' '),
  );
  const special = words.difference(own);
  const skill = harness.skills.find(({ text }) => [...contentWords(text)].some((word) => special.has(word)));
  if (skill === undefined && tool !== undefined)
    return { label: 'tool_schema_error', component: 'tool', path: toolFile(harness, tool.name) };
  return skill === undefined ? routinePlace(harness, words) : skillPlace(skill.name);
}

function routinePlace({ skills }: Harness, words: ReadonlySet<string>): Place {
  const shared = (text: string) => [...contentWords(text)].filter((word) => words.has(word)).length;
  const [nearest] = [...skills].sort((a, b) => shared(b.text) - shared(a.text));
  return nearest === undefined
    ? { label: 'skill_missing', component: 'skill', path: 'skills' }
    : skillPlace(nearest.name);
}

function skillPlace(name: string): Place {
  return { label: 'skill_missing', component: 'skill', path: `skills/${name}/SKILL.md` };
}

function laidTo(cause: Diagnosis, place: Place, shared: Feature | null): Diagnosis {
  const explanation =
    shared === null
      ? 'Every rollout goes through and gives a wrong value: what the model is told to do is wrong.'
      : `${shared.failing} of ${shared.failing + shared.passing} rollouts ${shared.kind === 'tool' ? `that call ${shared.name}` : `about "${shared.name}"`} fail although every call goes through, and the others pass.`;
  return {
    ...cause,
    ...place,
    mechanism: shared === null ? 'wrong-value-everywhere' : `shared-by-${shared.kind === 'tool' ? 'calls' : 'tasks'}`,
    explanation,
    severity: 0.8,
    confidence: shared === null ? 0.5 : 0.65,
  };
}
