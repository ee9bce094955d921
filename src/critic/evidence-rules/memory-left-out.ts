import { eventsOf, evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** Facts of φ did not fit into the room that φ gives them: the model never saw them. */
export const factsLeftOut = evidenceRule('facts-left-out', 'memory_overflow', (trajectory, harness) => {
  const [left] = eventsOf(trajectory, 'memory-acted').filter(({ action }) => action === 'left-out');
  if (left === undefined || harness.facts.length === 0) return null;
  return {
    component: 'memory',
    path: 'memory.yaml#/facts/tokens',
    explanation: 'Facts of memory/ were left out of the request: they need more tokens than memory.yaml allows them.',
    severity: 0.8,
    confidence: 0.8,
    evidence: [evidence(left, left.detail)],
  };
});

/** Of all requests of a rollout, the share from which on old results are shortened as a rule and not at its end. */
const OFTEN = 1 / 3;

/** Results were shortened as stale in a third of the requests or more: what the work was still about. */
export const resultsShortened = evidenceRule('results-shortened', 'memory_overflow', (trajectory, harness) => {
  // Without a limit on staleness results are shortened for want of room (`evict`), which is another matter.
  if (harness.memory.staleAfterTurns === null) return null;
  const shortened = eventsOf(trajectory, 'memory-acted').filter(({ action }) => action === 'shortened');
  const [first] = shortened;
  if (first === undefined || shortened.length < OFTEN * eventsOf(trajectory, 'model-called').length) return null;
  return {
    component: 'memory',
    path: 'memory.yaml#/staleAfterTurns',
    explanation: 'Results of earlier turns were shortened as stale in most requests before the rollout failed.',
    severity: 0.7,
    confidence: 0.7,
    evidence: shortened.slice(0, 2).map((event) => evidence(event, event.detail)),
  };
});
