import type { ComponentKind } from '../../harness/harness.ts';
import type { PatchEdit } from '../../harness/patch-edit.ts';
import type { AttributionLabel } from '../attribution.ts';
import type { HarnessFacts } from '../harness-facts/harness-facts.ts';

/** Something in φ that cannot be meant so, seen without any rollout. */
export interface HarnessDefect {
  label: AttributionLabel;
  component: ComponentKind;
  path: string;
  mechanism: string;
  explanation: string;
  /** [0, 1]: how sure it is that this is a defect, whether or not a failure came of it. */
  confidence: number;
  /** What stands there, with its place. */
  quotes: { path: string; quote: string }[];
  /** What the defect is about (tools, arguments, words): a rollout that touches none of it failed for another reason. */
  about: string[];
  repair: PatchEdit[] | null;
}

/** Reads φ alone. Pure, never throws, knows no tool and no domain. */
export type DefectDetector = (facts: HarnessFacts) => HarnessDefect[];
