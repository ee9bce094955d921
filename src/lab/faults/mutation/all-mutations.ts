import { CoHarnessError } from '../../../base/errors.ts';
import { seededRandom, seedFrom } from '../../../base/random.ts';
import { applyEdits } from '../../../harness/apply-patch.ts';
import type { Harness } from '../../../harness/harness.ts';
import type { PatchEdit } from '../../../harness/patch-edit.ts';
import { type FaultKinds, FIELD_CLASSES } from '../fault-kind.ts';
import type { LabScenario } from '../scenarios/lab-scenario.ts';
import type { HandMade } from './hand-made.ts';
import { mutationsOf } from './mutate-field.ts';
import type { Mutation } from './mutation.ts';

/** Kinds of one split with the code of the hand-made ones, by name. */
export interface FaultCatalogue {
  kinds: FaultKinds;
  handMade: Readonly<Record<string, HandMade>>;
}

/**
 * Mutations of a scenario, at most `perKind` of each generic kind (a seeded choice of its fields), those that give no valid or the same harness left out.
 */
export function allMutations(
  { kinds, handMade }: FaultCatalogue,
  scenario: LabScenario,
  { foreign, perKind, seed }: { foreign: Harness; perKind: number; seed: number },
): Mutation[] {
  const { harness, name } = scenario;
  const generic = kinds.generic.flatMap((kind) => {
    const { component, label } = FIELD_CLASSES[kind.field];
    const title = `${kind.operator} ${kind.field}`;
    const places = mutationsOf(kind, harness, foreign).filter(({ edits }) => changes(harness, edits));
    const random = seededRandom(seedFrom(seed, name, title));
    return random
      .shuffled(places)
      .slice(0, perKind)
      .map((place): Mutation => ({ kind: title, scenario: name, label, component, ...place }));
  });
  const made = kinds.handMade.flatMap(({ name: title, label, component }): Mutation[] => {
    const edits = handMade[title]?.(scenario) ?? null;
    const path = edits?.[0]?.path;
    if (edits === null || path === undefined || !changes(harness, edits)) return [];
    return [{ kind: title, scenario: name, label, component, path, edits }];
  });
  return [...generic, ...made];
}

function changes(harness: Harness, edits: readonly PatchEdit[]): boolean {
  try {
    return applyEdits(harness, edits).hash !== harness.hash;
  } catch (error) {
    if (CoHarnessError.isInstance(error) && error.code !== 'invariant') return false;
    throw error;
  }
}
