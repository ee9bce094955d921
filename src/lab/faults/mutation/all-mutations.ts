import { seededRandom, seedFrom } from '../../../base/random.ts';
import type { Harness } from '../../../harness/harness.ts';
import type { PatchEdit } from '../../../harness/patch-edit.ts';
import { editedHarness } from '../../../patch/edited-harness.ts';
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
    const random = seededRandom(seedFrom(seed, name, title));
    const mutations: Mutation[] = [];
    for (const place of random.shuffled(mutationsOf(kind, harness, foreign))) {
      const broken = mutations.length < perKind ? brokenBy(harness, place.edits) : null;
      if (broken !== null) mutations.push({ kind: title, scenario: name, label, component, ...place, harness: broken });
    }
    return mutations;
  });
  const made = kinds.handMade.flatMap(({ name: title, label, component }): Mutation[] => {
    const edits = handMade[title]?.(scenario) ?? [];
    const path = edits[0]?.path;
    const broken = brokenBy(harness, edits);
    if (broken === null || path === undefined) return [];
    return [{ kind: title, scenario: name, label, component, path, edits, harness: broken }];
  });
  return [...generic, ...made];
}

/** The harness after the edits; null where they give none, or the same. */
function brokenBy(harness: Harness, edits: readonly PatchEdit[]): Harness | null {
  const broken = editedHarness(harness, edits);
  return broken?.hash === harness.hash ? null : broken;
}
