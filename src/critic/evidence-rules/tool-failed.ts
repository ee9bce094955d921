import { eventsOf, evidence, isFollowedBy } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** The schema allowed the arguments, the back end did not: the schema promises what the tool does not keep. */
export const toolFailed = evidenceRule('tool-failed', 'tool_schema_error', (trajectory) => {
  const failed = eventsOf(trajectory, 'tool-failed').filter(
    (event) => !isFollowedBy(trajectory, event, 'tool-returned'),
  );
  const last = failed.at(-1);
  if (last === undefined) return null;
  const isTimeout = /time-?out/i.test(last.errorType);
  return {
    component: 'tool',
    path: `tools/${last.call.tool}/tool.yaml#/${isTimeout ? 'limits/wallMs' : 'description'}`,
    mechanism: isTimeout ? 'tool-timeout' : 'tool-failed',
    explanation: isTimeout
      ? `${last.call.tool} did not finish within its time limit.`
      : `${last.call.tool} rejected arguments that its schema allows (${last.errorType}).`,
    severity: 0.9,
    confidence: 0.6,
    evidence: failed
      .slice(-3)
      .map((event) => evidence(event, `${JSON.stringify(event.call.arguments)}: ${event.errorType}: ${event.problem}`)),
  };
});
