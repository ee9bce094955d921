import type { ComponentKind } from '../../harness/harness.ts';
import type { FaultBoundary } from '../../trajectory/trajectory.ts';
import type { AttributionLabel } from '../attribution.ts';
import { eventsOf, evidence } from '../event-evidence.ts';
import { type EvidenceRule, evidenceRule } from '../evidence-rule.ts';

function faultRule(
  boundary: FaultBoundary,
  label: AttributionLabel,
  component: ComponentKind,
  path: string,
): EvidenceRule {
  return evidenceRule(`${boundary}-fault`, label, (trajectory) => {
    const faults = eventsOf(trajectory, 'fault').filter((fault) => fault.boundary === boundary);
    const first = faults[0];
    if (first === undefined) return null;
    return {
      component,
      path,
      explanation: `Code or settings of the harness's ${component} part broke while the rollout ran.`,
      severity: 1,
      confidence: 0.9,
      evidence: faults.map((fault) => evidence(fault, fault.problem)),
    };
  });
}

/** Harness code that broke, by the boundary that reported it. Infrastructure boundaries are never here. */
export const middlewareFault = faultRule('middleware', 'middleware_mismatch', 'middleware', 'middleware');
export const retryFault = faultRule('retry', 'middleware_mismatch', 'retry', 'retry.yaml');
export const memoryFault = faultRule('memory', 'memory_overflow', 'memory', 'memory.yaml');
export const toolFault = faultRule('tool', 'tool_schema_error', 'tool', 'tools');
