import type { ComponentKind } from '../../harness/harness.ts';
import type { AttributionLabel } from '../attribution.ts';
import type { Repair } from '../case-rules/case-rule.ts';

/** The judgement of one case, as `co-harness attribute --json` prints it. */
export interface CaseVerdict {
  id: string;
  label: AttributionLabel;
  /** Null for `agent_error`. */
  component: ComponentKind | null;
  /** [0, 1]. */
  confidence: number;
  /** Never empty. `event` is an event id of a rollout, or a place in the file. */
  evidence: { event: string; quote: string }[];
  /** One sentence. */
  mechanism: string;
  /** Null for `agent_error`, and where nothing local can be said. `old` is null where nothing stood. */
  repair: Repair[] | null;
}
