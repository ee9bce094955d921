import type { HarnessSettings } from '../harness/harness.ts';
import type { VerifierUsage } from '../task/verifier.ts';
import type { Outcome } from '../trajectory/trajectory.ts';
import type { Episode } from './episode.ts';

/** One pass of φ, judged. */
export interface Vote {
  episode: Episode;
  outcome: Outcome;
  /** Of a model that judged it; absent for verifiers without one. */
  verifierUsage?: VerifierUsage;
}

/**
 * The vote whose answer counts: the answer with the most weight, of its votes the earliest; on a tie the answer that was given first. Votes without an
 * answer count only when no vote has one. Undefined without votes.
 */
export function winner(votes: readonly Vote[], weights: HarnessSettings['voting']['weights']): Vote | undefined {
  let best: Candidate | undefined;
  for (const candidate of candidates(votes, weights)) {
    if (best === undefined || candidate.weight > best.weight) best = candidate;
  }
  return best?.first ?? votes[0];
}

/** Whether the votes that are still to come, each of the most weight, could not change which answer counts. */
export function isDecided(
  votes: readonly Vote[],
  left: number,
  weights: HarnessSettings['voting']['weights'],
): boolean {
  const first = winner(votes, weights);
  const ranked = candidates(votes, weights);
  const leader = ranked.find((candidate) => candidate.first === first);
  if (leader === undefined) return left === 0;
  const reach = left * MOST_WEIGHT[weights];
  const leads = (other: Candidate) =>
    leader.weight > other.weight + reach ||
    (leader.weight === other.weight + reach && ranked.indexOf(leader) < ranked.indexOf(other));
  // An answer nobody has given yet would come last, so that a tie is not enough for it.
  return leader.weight >= reach && ranked.every((other) => other === leader || leads(other));
}

interface Candidate {
  first: Vote;
  weight: number;
}

/** Answers in the order in which they were first given. */
function candidates(votes: readonly Vote[], weights: HarnessSettings['voting']['weights']): Candidate[] {
  const byAnswer = new Map<string, Candidate>();
  for (const vote of votes) {
    const answer = vote.outcome.kind === 'scored' ? vote.outcome.extracted : null;
    if (answer === null) continue;
    const weight = weights === 'equal' ? 1 : evidenceWeight(vote, answer);
    const known = byAnswer.get(answer);
    if (known === undefined) byAnswer.set(answer, { first: vote, weight });
    else known.weight += weight;
  }
  return [...byAnswer.values()];
}

/** Most that one vote can weigh. */
const MOST_WEIGHT = { equal: 1, evidence: 2 } as const;

/** 1; doubled where a tool returned that very answer in the same pass; halved where the last reply was cut off. No verifier is asked. */
function evidenceWeight({ episode: { events } }: Vote, answer: string): number {
  const isBacked = events.some((event) => event.type === 'tool-returned' && event.value.trim() === answer.trim());
  const last = events.findLast((event) => event.type === 'model-called');
  const isCut = last?.type === 'model-called' && (last.finishReason === 'length' || last.finishReason === 'window');
  return (isBacked ? 2 : 1) / (isCut ? 2 : 1);
}
