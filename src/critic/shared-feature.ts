import type { Harness } from '../harness/harness.ts';
import { hypergeometricTail } from '../statistics/hypergeometric-tail.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { FEWEST_FAILURES, MOST_CHANCE } from './blamed-tool.ts';
import { countedVote } from './counted-vote.ts';
import { contentWords } from './directives.ts';
import { eventsOf, holdsWord } from './event-evidence.ts';
import { propertiesOf } from './harness-facts/schema-members.ts';

/** Of the rollouts that a feature marks, the share that must fail. */
const LEAST_FAILING = 0.75;
/** A choice longer than this is looked for in no task. */
const LONGEST_CHOICE = 200;

/**
 * `tool`: was called; `word`: the task holds it; `enum`: an `argument` that may take some values only got one that the task does not name, as it must where the schema lacks
 * the value that the task names.
 */
export interface Mark {
  kind: 'tool' | 'word' | 'enum';
  /** Of the tool, or the word. */
  name: string;
  /** Of the tool's arguments, for `enum`; else null. */
  argument: string | null;
}

export interface SharedFeature extends Mark {
  /** All features that mark the very same rollouts, this one among them. */
  alike: readonly Mark[];
  /** Failures that it marks, and how many successes. */
  failing: ReadonlySet<Trajectory>;
  passing: number;
}

interface Sides {
  mark: Mark;
  failing: Set<Trajectory>;
  passing: Set<Trajectory>;
}

/**
 * The feature that failures share and successes lack, and that chance would bring about least; null where none is below {@link MOST_CHANCE}. `rollouts` are failures and
 * successes in the order in which they were drawn. One rollout of a group counts: others of the same task, or of a near-copy of it, share its fate. Each kind of feature is a family, corrected for
 * the number of its features and for that of families: φ has few tools, and the many words of its tasks must not hide one.
 */
export function sharedFeature(
  rollouts: readonly Trajectory[],
  failures: ReadonlySet<Trajectory>,
  harness: Harness,
): SharedFeature | null {
  const counted = firstOfGroups(rollouts);
  const inCount = (some: ReadonlySet<Trajectory>) => counted.intersection(some).size;
  const tested = markedRollouts(rollouts, failures, harness)
    .map((sides) => ({
      ...sides,
      hits: inCount(sides.failing),
      drawn: inCount(sides.failing) + inCount(sides.passing),
    }))
    .filter(({ drawn }) => drawn > 0 && drawn < counted.size);
  const families = Map.groupBy(tested, ({ mark }) => mark.kind);
  const draw = { marked: inCount(failures), total: counted.size };
  const [best] = [...families.values()]
    .flatMap((family) =>
      family.map((one) => ({
        ...one,
        chance: hypergeometricTail({ ...one, ...draw }) * family.length * families.size,
      })),
    )
    .filter(
      ({ hits, drawn, chance }) => hits >= FEWEST_FAILURES && hits / drawn >= LEAST_FAILING && chance <= MOST_CHANCE,
    )
    .sort((a, b) => a.chance - b.chance || (keyOf(a.mark) < keyOf(b.mark) ? -1 : 1));
  if (best === undefined) return null;
  const alike = tested.filter(({ failing, passing }) => isSame(failing, best.failing) && isSame(passing, best.passing));
  const marks = alike.map(({ mark }) => mark);
  // Where every call of a tool is marked by its argument too, nothing tells the one from the other.
  const whole = marks.find(({ kind, name }) => kind === 'tool' && best.mark.kind === 'enum' && name === best.mark.name);
  return { ...(whole ?? best.mark), alike: marks, failing: best.failing, passing: best.passing.size };
}

function firstOfGroups(rollouts: readonly Trajectory[]): Set<Trajectory> {
  const first = Map.groupBy(rollouts, ({ group }) => group);
  return new Set([...first.values()].flatMap(([one]) => one ?? []));
}

function markedRollouts(rollouts: readonly Trajectory[], failures: ReadonlySet<Trajectory>, harness: Harness): Sides[] {
  const marked = new Map<string, Sides>();
  for (const rollout of rollouts) {
    for (const [key, mark] of marksOf(rollout, harness)) {
      const sides = marked.get(key) ?? { mark, failing: new Set(), passing: new Set() };
      sides[failures.has(rollout) ? 'failing' : 'passing'].add(rollout);
      marked.set(key, sides);
    }
  }
  return [...marked.values()];
}

function isSame(left: ReadonlySet<Trajectory>, right: ReadonlySet<Trajectory>): boolean {
  return left.size === right.size && left.isSubsetOf(right);
}

function keyOf({ kind, name, argument }: Mark): string {
  return JSON.stringify([kind, name, argument]);
}

/** Of the vote that counted. */
function marksOf(rollout: Trajectory, harness: Harness): Map<string, Mark> {
  const own = countedVote(rollout);
  const called = [...eventsOf(own, 'call-parsed'), ...eventsOf(own, 'tool-returned')].map(({ call }) => call.tool);
  const marks: Mark[] = [
    ...called.map((name): Mark => ({ kind: 'tool', name, argument: null })),
    ...[...taskWords(own)].map((name): Mark => ({ kind: 'word', name, argument: null })),
    ...unnamedChoices(own, harness),
  ];
  return new Map(marks.map((mark) => [keyOf(mark), mark]));
}

function unnamedChoices(rollout: Trajectory, { tools }: Harness): Mark[] {
  return eventsOf(rollout, 'call-parsed').flatMap(({ call }) => {
    const properties = propertiesOf(tools.find(({ name }) => name === call.tool)?.parameters ?? null);
    return Object.entries(call.arguments).flatMap(([argument, value]): Mark[] => {
      const choices = Object.hasOwn(properties, argument) ? properties[argument]?.enum : undefined;
      // What is no choice at all is refused by the loop, and says nothing of the others.
      if (!Array.isArray(choices) || !choices.includes(value) || String(value).length > LONGEST_CHOICE) return [];
      return holdsWord(rollout.problem, String(value)) ? [] : [{ kind: 'enum', name: call.tool, argument }];
    });
  });
}

/** Longer words of the task, numbers aside. */
export function taskWords({ problem }: Trajectory): Set<string> {
  return new Set([...contentWords(problem)].filter((word) => !/\d/.test(word)));
}
