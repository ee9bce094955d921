import { contentHash } from '../base/content-hash.ts';
import { pointerStep } from '../base/json-pointer.ts';
import type { ComponentKind, Harness } from '../harness/harness.ts';
import { hypergeometricTail } from '../statistics/hypergeometric-tail.ts';
import { isSuccess } from '../trajectory/is-success.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import type { AttributionLabel, Diagnosis } from './attribution.ts';
import { type BlamedTool, blamedTool, FEWEST_FAILURES, MOST_CHANCE } from './blamed-tool.ts';
import { contentWords } from './directives.ts';
import { eventsOf, holdsWord } from './event-evidence.ts';
import { verdictUnlikeSchema } from './evidence-rules/verdict-unlike-schema.ts';
import { toolFile } from './harness-facts/facts-of-harness.ts';
import { propertiesOf } from './harness-facts/schema-members.ts';

/** Of the rollouts that a feature marks, the share that must fail. */
const LEAST_FAILING = 0.75;
/** From here on a failure of all rollouts is not the model's. */
const ALL_FAILING = 0.9;
const FEWEST_OF_ALL = 8;

/**
 * Silent faults: every call went through and the value is wrong. A model errs here and there; a part of φ that is wrong strikes those rollouts that use
 * it. So failures that were left to the agent are laid to a tool or a routine where they share what the successes of the same φ lack: the tool that was
 * called, or what the task is about. Tested against chance (hypergeometric tail); each kind of feature is a family, corrected for their number and for that
 * of families: φ has few tools, and the many words of its tasks must not hide one.
 */
export function withSharedCauses(
  causes: readonly Diagnosis[],
  trajectories: readonly Trajectory[],
  harness: Harness,
): Diagnosis[] {
  // What a verdict says of a tool counts for a cause that others share; it keeps its own, more exact place.
  const open = causes.filter(
    ({ label, mechanism }) => label === 'agent_error' || mechanism === verdictUnlikeSchema.name,
  );
  const left = new Set<string>(open.map(({ rollout }) => rollout));
  const failures = trajectories.filter((trajectory) => left.has(contentHash(trajectory.identity)));
  const successes = trajectories.filter(isSuccess);
  if (failures.length < FEWEST_FAILURES) return [...causes];
  const shared = sharedFeature(failures, successes, harness);
  if (shared !== null) return laidTo(causes, shared.failing, sharedCause(shared, harness));
  const blamed = blamedTool(failures, successes, harness);
  if (blamed !== null) return laidTo(causes, blamed.failing, blamedCause(blamed, harness));
  const scored = trajectories.filter(({ outcome }) => outcome.kind === 'scored').length;
  const hasRoutine = harness.skills.length > 0 || harness.facts.length > 0;
  if (!hasRoutine || failures.length < FEWEST_OF_ALL || failures.length < scored * ALL_FAILING) return [...causes];
  return laidTo(causes, failures, {
    ...routinePlace(harness, wordsOf(failures[0] as Trajectory)),
    mechanism: 'wrong-value-everywhere',
    explanation: 'Every rollout goes through and gives a wrong value: what the model is told to do is wrong.',
    confidence: 0.5,
  });
}

/**
 * `tool`: was called; `word`: the task holds it; `enum`: an argument that may take some values only got one that the task does not name (`name` is tool and argument with a
 * blank between them), as it must where the schema lacks the value that the task names.
 */
interface Mark {
  kind: 'tool' | 'word' | 'enum';
  name: string;
}

interface Feature extends Mark {
  /** All features that mark the very same rollouts, this one among them. */
  alike: readonly Mark[];
  /** Failures that it marks, and how many successes. */
  failing: ReadonlySet<Trajectory>;
  passing: number;
}

function sharedFeature(
  failures: readonly Trajectory[],
  successes: readonly Trajectory[],
  harness: Harness,
): Feature | null {
  const total = failures.length + successes.length;
  const marked = new Map<string, { failing: Set<Trajectory>; passing: Set<Trajectory> }>();
  const count = (trajectory: Trajectory, side: 'failing' | 'passing') => {
    for (const mark of marksOf(trajectory, harness)) {
      const sides = marked.get(mark) ?? { failing: new Set<Trajectory>(), passing: new Set<Trajectory>() };
      sides[side].add(trajectory);
      marked.set(mark, sides);
    }
  };
  for (const trajectory of failures) count(trajectory, 'failing');
  for (const trajectory of successes) count(trajectory, 'passing');
  const tested = [...marked]
    .map(([mark, sides]) => ({
      mark,
      ...sides,
      hits: sides.failing.size,
      drawn: sides.failing.size + sides.passing.size,
    }))
    .filter(({ drawn }) => drawn < total);
  const families = Map.groupBy(tested, ({ mark }) => readMark(mark).kind);
  const ranked = [...families.values()]
    .flatMap((family) =>
      family.map((one) => {
        const tail = hypergeometricTail({ hits: one.hits, drawn: one.drawn, marked: failures.length, total });
        return { ...one, chance: tail * family.length * families.size };
      }),
    )
    .filter(
      ({ hits, drawn, chance }) => hits >= FEWEST_FAILURES && hits / drawn >= LEAST_FAILING && chance <= MOST_CHANCE,
    )
    .sort((a, b) => a.chance - b.chance || (a.mark < b.mark ? -1 : 1));
  const [best] = ranked;
  if (best === undefined) return null;
  const alike = tested.filter(({ failing, passing }) => isSame(failing, best.failing) && isSame(passing, best.passing));
  return {
    ...readMark(best.mark),
    alike: alike.map(({ mark }) => readMark(mark)),
    failing: best.failing,
    passing: best.passing.size,
  };
}

function isSame(left: ReadonlySet<Trajectory>, right: ReadonlySet<Trajectory>): boolean {
  return left.size === right.size && left.isSubsetOf(right);
}

function readMark(mark: string): Mark {
  const at = mark.indexOf(' ');
  return { kind: mark.slice(0, at) as Mark['kind'], name: mark.slice(at + 1) };
}

function marksOf(trajectory: Trajectory, harness: Harness): Set<string> {
  const tools = [...eventsOf(trajectory, 'call-parsed'), ...eventsOf(trajectory, 'tool-returned')].map(
    ({ call }) => `tool ${call.tool}`,
  );
  const words = [...wordsOf(trajectory)].map((word) => `word ${word}`);
  const unnamed = unnamedChoices(trajectory, harness).map((name) => `enum ${name}`);
  return new Set([...tools, ...words, ...unnamed]);
}

function unnamedChoices(trajectory: Trajectory, { tools }: Harness): string[] {
  return eventsOf(trajectory, 'call-parsed').flatMap(({ call }) => {
    const properties = propertiesOf(tools.find(({ name }) => name === call.tool)?.parameters ?? null);
    return Object.entries(call.arguments).flatMap(([argument, value]) => {
      const isChoice = Array.isArray(properties[argument]?.enum);
      return isChoice && !holdsWord(trajectory.problem, String(value)) ? [`${call.tool} ${argument}`] : [];
    });
  });
}

function wordsOf({ problem }: Trajectory): Set<string> {
  return new Set([...contentWords(problem)].filter((word) => !/\d/.test(word)));
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
  const choice = alike.find(({ kind }) => kind === 'enum');
  if (skill === undefined && choice !== undefined) {
    const [owner = '', argument = ''] = choice.name.split(' ');
    const path = `${toolFile(harness, owner)}#/parameters/properties${pointerStep(argument)}/enum`;
    return { label: 'tool_schema_error', component: 'tool', path };
  }
  if (skill === undefined && tool !== undefined)
    return { label: 'tool_schema_error', component: 'tool', path: toolFile(harness, tool.name) };
  return skill === undefined ? routinePlace(harness, words) : skillPlace(skill.name);
}

/** The skill that shares most words; without skills the facts, where routines may stand as well. */
function routinePlace({ skills, facts, files }: Harness, words: ReadonlySet<string>): Place {
  const factFile = [...files.keys()].find((path) => /^memory\/.+\.md$/.test(path));
  if (skills.length === 0 && facts.length > 0 && factFile !== undefined)
    return { label: 'memory_overflow', component: 'memory', path: factFile };
  const shared = (text: string) => [...contentWords(text)].filter((word) => words.has(word)).length;
  const [nearest] = [...skills].sort((a, b) => shared(b.text) - shared(a.text));
  return nearest === undefined
    ? { label: 'skill_missing', component: 'skill', path: 'skills' }
    : skillPlace(nearest.name);
}

function skillPlace(name: string): Place {
  return { label: 'skill_missing', component: 'skill', path: `skills/${name}/SKILL.md` };
}

interface LaidCause extends Place {
  mechanism: string;
  explanation: string;
  confidence: number;
}

function sharedCause(shared: Feature, harness: Harness): LaidCause {
  const { kind, name, failing, passing } = shared;
  const about = {
    tool: `that call ${name}`,
    word: `about "${name}"`,
    enum: `whose task does not name the value that ${name} takes`,
  }[kind];
  return {
    ...placeOf(shared, harness),
    mechanism: { tool: 'shared-by-calls', word: 'shared-by-tasks', enum: 'shared-by-choices' }[kind],
    explanation: `${failing.size} of ${failing.size + passing} rollouts ${about} fail although every call goes through, and the others pass.`,
    confidence: 0.65,
  };
}

function blamedCause({ tool, argument, failing, passing }: BlamedTool, harness: Harness): LaidCause {
  const file = toolFile(harness, tool.name);
  const part = argument === null ? tool.name : `${argument} of ${tool.name}`;
  return {
    label: 'tool_schema_error',
    component: 'tool',
    path: argument === null ? file : `${file}#/parameters/properties${pointerStep(argument)}`,
    mechanism: 'blamed-by-verdicts',
    explanation: `${failing.size} verdicts name ${part}, more than errors here and there would; ${passing} rollouts that call it pass.`,
    confidence: 0.65,
  };
}

function laidTo(causes: readonly Diagnosis[], failing: Iterable<Trajectory>, laid: LaidCause): Diagnosis[] {
  const struck = new Set<string>([...failing].map(({ identity }) => contentHash(identity)));
  return causes.map((cause) =>
    cause.label === 'agent_error' && struck.has(cause.rollout) ? { ...cause, ...laid, severity: 0.8 } : cause,
  );
}
