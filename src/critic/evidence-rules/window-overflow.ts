import { eventsOf, evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** The context had no room left: on the first turn the fixed prefix is too long, later the history is. */
export const windowOverflow = evidenceRule('window-overflow', 'memory_overflow', (trajectory, harness) => {
  const calls = eventsOf(trajectory, 'model-called');
  const full = calls.find((event) => event.finishReason === 'window');
  if (full === undefined) return null;
  const isFirst = full === calls[0];
  const hasExamples = harness.examples.length > 0;
  return {
    component: isFirst ? (hasExamples ? 'example' : 'prompt') : 'memory',
    path: isFirst ? (hasExamples ? 'examples' : 'prompts/system.md') : 'memory.yaml#/historyTokens',
    mechanism: isFirst ? 'prefix-fills-window' : 'history-fills-window',
    explanation: isFirst
      ? 'Prompts, tools and examples alone leave no room for a reply.'
      : 'The conversation grew until no room was left for a reply; nothing was dropped in time.',
    severity: 1,
    confidence: 0.95,
    evidence: [evidence(full, `${full.usage.promptTokens} prompt tokens, finish reason window`)],
  };
});
