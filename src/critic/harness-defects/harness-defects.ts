import type { HarnessFacts } from '../harness-facts/harness-facts.ts';
import { conflictingExamples } from './conflicting-examples.ts';
import { contradictoryInstructions } from './contradictory-instructions.ts';
import { danglingToolName } from './dangling-tool-name.ts';
import { exampleUnfit } from './example-unfit.ts';
import type { DefectDetector, HarnessDefect } from './harness-defect.ts';
import { idleTimeLimit } from './idle-time-limit.ts';
import { impossibleSchema } from './impossible-schema.ts';
import { inconsistentArgument } from './inconsistent-argument.ts';
import { mismatchedExample } from './mismatched-example.ts';
import { misplacedDescription } from './misplaced-description.ts';
import { toolNamedOtherwise } from './tool-named-otherwise.ts';
import { unusableSkill } from './unusable-skill.ts';

const DEFECT_DETECTORS: readonly DefectDetector[] = [
  danglingToolName,
  exampleUnfit,
  impossibleSchema,
  inconsistentArgument,
  unusableSkill,
  contradictoryInstructions,
  conflictingExamples,
  mismatchedExample,
  toolNamedOtherwise,
  misplacedDescription,
  idleTimeLimit,
];

const known = new WeakMap<HarnessFacts, HarnessDefect[]>();

/** Every defect of φ that shows without a rollout, surest first. Made once per facts. */
export function harnessDefects(facts: HarnessFacts): HarnessDefect[] {
  const made = known.get(facts);
  if (made !== undefined) return made;
  const defects = DEFECT_DETECTORS.flatMap((detect) => detect(facts)).sort((a, b) => b.confidence - a.confidence);
  known.set(facts, defects);
  return defects;
}
