import { eventsOf, evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';
import { toolFile } from '../harness-facts/facts-of-harness.ts';

const CAPPED = /\[(\d+) more characters\]\s*$/;

/** A tool's value was cut by its output limit before the model saw it. */
export const outputCapped = evidenceRule('output-capped', 'tool_schema_error', (trajectory, harness) => {
  const capped = eventsOf(trajectory, 'tool-returned').filter(({ value }) => CAPPED.test(value));
  const [first] = capped;
  if (first === undefined) return null;
  const tool = harness.tools.find(({ name }) => name === first.call.tool);
  const hidden = Number(CAPPED.exec(first.value)?.[1] ?? 0);
  const file = toolFile(harness, first.call.tool);
  const limit = tool?.limits.outputCharacters ?? 0;
  return {
    component: 'tool',
    path: `${file}#/limits/outputCharacters`,
    explanation: `The output limit of ${first.call.tool} hid ${hidden} of ${hidden + limit} characters of a value.`,
    severity: 0.9,
    // Of a long text a part may be enough; of a short value nothing is left.
    confidence: hidden >= limit ? 0.9 : 0.7,
    evidence: capped.slice(0, 3).map((event) => evidence(event, event.value)),
    ...(tool === undefined
      ? {}
      : {
          repair: [
            { path: `${file}#/limits/outputCharacters`, old: limit, value: Math.max(4_000, (hidden + limit) * 2) },
          ],
        }),
  };
});
