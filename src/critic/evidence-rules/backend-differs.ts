import { canonicalJson } from '../../base/content-hash.ts';
import type { Harness } from '../../harness/harness.ts';
import type { ToolCall, Trajectory } from '../../trajectory/trajectory.ts';
import { eventsOf, evidence, isSameValue } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';
import { toolFile } from '../harness-facts/facts-of-harness.ts';

/** A back end answers other than φ shows it to: a shown call with another value, or values of another kind than any example's. */
export const backendDiffers = evidenceRule('backend-differs', 'tool_schema_error', (trajectory, harness) => {
  const odd = eventsOf(trajectory, 'tool-returned').find(
    ({ call, value }) => value !== 'recorded' && isOdd(harness, call, value),
  );
  if (odd === undefined) return null;
  return {
    component: 'tool',
    path: `${toolFile(harness, odd.call.tool)}#/backend`,
    explanation: `${odd.call.tool} returned another kind of value than the examples of φ show for it.`,
    severity: 1,
    confidence: 0.8,
    evidence: [
      evidence(odd, `${JSON.stringify(odd.call.arguments)} → ${odd.value}`),
      ...shownEvidence(trajectory, harness, odd.call.tool),
    ],
  };
});

function isOdd(harness: Harness, call: ToolCall, value: string): boolean {
  const shown = shownResults(harness, call.tool);
  const same = shown.find((step) => canonicalJson(step.call) === canonicalJson(call));
  if (same !== undefined) return !isSameValue(same.result, value);
  return (
    shown.length >= 2 &&
    shown.every(({ result }) => kindOf(result) === kindOf(shown[0]?.result ?? '')) &&
    kindOf(value) !== kindOf(shown[0]?.result ?? '')
  );
}

function shownResults(harness: Harness, tool: string): { call: ToolCall; result: string }[] {
  return harness.examples.flatMap(({ steps }) =>
    steps.flatMap(({ call, result }) => (call?.tool === tool && result !== undefined ? [{ call, result }] : [])),
  );
}

function kindOf(value: string): string {
  const text = value.trim();
  if (text === '') return 'empty';
  if (Number.isFinite(Number(text.replaceAll(',', '')))) return 'number';
  return /^[[{]/.test(text) ? 'json' : 'text';
}

function shownEvidence(trajectory: Trajectory, harness: Harness, tool: string) {
  const first = trajectory.events.find(({ type }) => type === 'model-called');
  const [shown] = shownResults(harness, tool);
  if (first === undefined || shown === undefined) return [];
  return [evidence(first, `example: ${JSON.stringify(shown.call.arguments)} → ${shown.result}`)];
}
