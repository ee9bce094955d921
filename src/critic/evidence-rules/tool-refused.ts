import type { Harness } from '../../harness/harness.ts';
import type { ToolCall } from '../../trajectory/trajectory.ts';
import { type EventOf, eventsOf, evidence, isFollowedBy } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** The call was read, but no tool of that name exists or its schema does not allow the arguments. */
export const toolRefused = evidenceRule('tool-refused', 'tool_schema_error', (trajectory, harness) => {
  const refused = eventsOf(trajectory, 'tool-refused').filter(
    (event) => !isFollowedBy(trajectory, event, 'tool-returned'),
  );
  const last = refused.at(-1);
  if (last === undefined) return null;
  const isKnown = harness.tools.some((tool) => tool.name === last.call.tool);
  return {
    component: 'tool',
    path: isKnown ? `tools/${last.call.tool}/tool.yaml#/parameters` : 'tools',
    mechanism: refusalOf(harness, last.call),
    explanation: isKnown
      ? `The model's arguments do not fit the schema of ${last.call.tool}: ${last.problem}`
      : `The model called ${last.call.tool}, which is not offered.`,
    severity: 1,
    confidence: 0.85,
    evidence: refused.slice(-3).map((event) => evidence(event, quoteOf(event))),
  };
});

function quoteOf(event: EventOf<'tool-refused'>): string {
  return `${event.call.tool}(${JSON.stringify(event.call.arguments)}): ${event.problem}`;
}

function refusalOf(harness: Harness, call: ToolCall): string {
  const tool = harness.tools.find(({ name }) => name === call.tool);
  if (tool === undefined) return 'unknown-tool';
  const properties = Object.keys((tool.parameters.properties ?? {}) as Record<string, unknown>);
  const required = (tool.parameters.required ?? []) as string[];
  const given = Object.keys(call.arguments);
  const isMissing = required.some((name) => !given.includes(name));
  const isExtra = given.some((name) => !properties.includes(name));
  if (isMissing && isExtra) return 'misnamed-argument';
  if (isMissing) return 'missing-argument';
  if (isExtra) return 'extra-argument';
  return 'unfit-argument-value';
}
