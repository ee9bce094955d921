import { contentHash } from '../base/content-hash.ts';
import { pointerStep } from '../base/json-pointer.ts';
import type { ComponentKind, Harness } from '../harness/harness.ts';
import { isSuccess } from '../trajectory/is-success.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import type { AttributionLabel, Diagnosis } from './attribution.ts';
import { type BlamedTool, blamedTool, FEWEST_FAILURES } from './blamed-tool.ts';
import { contentWords } from './directives.ts';
import { verdictUnlikeSchema } from './evidence-rules/verdict-unlike-schema.ts';
import { toolFile } from './harness-facts/facts-of-harness.ts';
import { type SharedFeature, sharedFeature, taskWords } from './shared-feature.ts';

/** From here on a failure of all rollouts is not the model's. */
const ALL_FAILING = 0.9;
const FEWEST_OF_ALL = 8;

/**
 * Silent faults: every call went through and the value is wrong. A model errs here and there; a part of φ that is wrong strikes those rollouts that use
 * it. So failures that were left to the agent are laid to a tool or a routine where they share what the successes of the same φ lack: the tool that was
 * called, what the task is about, or an argument that none of its allowed values fits. Tested against chance.
 */
export function withSharedCauses(
  causes: readonly Diagnosis[],
  trajectories: readonly Trajectory[],
  harness: Harness,
): Diagnosis[] {
  // What a verdict says of a tool counts for a cause that others share; it keeps its own, more exact place.
  const open = rolloutsOf(
    trajectories,
    causes,
    ({ label, mechanism }) => label === 'agent_error' || mechanism === verdictUnlikeSchema.name,
  );
  if (open.size < FEWEST_FAILURES) return [...causes];
  const shared = sharedFeature(
    trajectories.filter((trajectory) => open.has(trajectory) || isSuccess(trajectory)),
    open,
    harness,
  );
  if (shared !== null) return laidTo(causes, shared.failing, sharedCause(shared, harness));
  const blamed = blamedTool([...open], trajectories.filter(isSuccess), harness);
  if (blamed !== null) return laidTo(causes, blamed.failing, blamedCause(blamed, harness));
  return withFaultEverywhere(causes, trajectories, harness);
}

function rolloutsOf(
  trajectories: readonly Trajectory[],
  causes: readonly Diagnosis[],
  isMeant: (cause: Diagnosis) => boolean,
): Set<Trajectory> {
  const meant = new Set<string>(causes.filter(isMeant).map(({ rollout }) => rollout));
  return new Set(trajectories.filter(({ identity }) => meant.has(contentHash(identity))));
}

/** A model that errs by itself solves some tasks. Where nearly all rollouts go wrong without a sign, it is told something wrong. */
function withFaultEverywhere(
  causes: readonly Diagnosis[],
  trajectories: readonly Trajectory[],
  harness: Harness,
): Diagnosis[] {
  const failures = [...rolloutsOf(trajectories, causes, ({ label }) => label === 'agent_error')];
  const scored = trajectories.filter(({ outcome }) => outcome.kind === 'scored').length;
  const hasRoutine = harness.skills.length > 0 || harness.facts.length > 0;
  if (!hasRoutine || failures.length < FEWEST_OF_ALL || failures.length < scored * ALL_FAILING) return [...causes];
  return laidTo(causes, failures, {
    ...routinePlace(harness, taskWords(failures[0] as Trajectory)),
    mechanism: 'wrong-value-everywhere',
    explanation: 'Every rollout goes through and gives a wrong value: what the model is told to do is wrong.',
    confidence: 0.5,
  });
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
function placeOf({ alike }: SharedFeature, harness: Harness): Place {
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
  const choice = tool === undefined ? alike.find(({ kind }) => kind === 'enum') : undefined;
  if (skill === undefined && choice?.argument != null) {
    const path = `${toolFile(harness, choice.name)}#/parameters/properties${pointerStep(choice.argument)}/enum`;
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

function sharedCause(shared: SharedFeature, harness: Harness): LaidCause {
  const { kind, name, argument, failing, passing } = shared;
  const about = {
    tool: `that call ${name}`,
    word: `about "${name}"`,
    enum: `whose task does not name the value that ${argument} of ${name} takes`,
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
