import { AbortedError, errorMessage } from '../base/errors.ts';
import { sumOfUsages } from '../model/tokens-of.ts';
import type { Verdict } from '../task/verifier.ts';
import { type Outcome, TRAJECTORY_VERSION, type Trajectory } from '../trajectory/trajectory.ts';
import { agentLoop } from './agent-loop.ts';
import { isDecided, type Vote, winner } from './count-votes.ts';
import type { Episode } from './episode.ts';
import { rolloutIdentity } from './rollout-identity.ts';
import type { RolloutJob, RunRollout } from './rollout-job.ts';

export type { RolloutJob, RunRollout } from './rollout-job.ts';

/**
 * One rollout: φ's votes (mostly one), each answer judged, and the answer with the most weight counts. Votes run `voting.atOnce` side by side, in waves, so
 * that which of them run depends on their answers alone; with `voting.stopWhenDecided` no wave starts that cannot change the result, nor any after
 * limits.wallMs. A vote's answer is what the verifier extracts from it. Infrastructure failing in any vote leaves the whole rollout unscored.
 */
export const runRollout: RunRollout = async (job) => {
  const startMs = job.clock.now();
  const { votes, voting, limits } = job.harness.settings;
  const judged: Vote[] = [];
  while (judged.length < votes) {
    const left = votes - judged.length;
    const isOver = judged.length > 0 && job.clock.now() - startMs >= limits.wallMs;
    if (isOver || (voting.stopWhenDecided && isDecided(judged, left, voting.weights))) break;
    judged.push(...(await runWave(job, startMs, judged.length, Math.min(left, voting.atOnce ?? waveSize(job)))));
  }
  return trajectoryOf(job, startMs, judged);
};

/** Without `atOnce`: all, or, where a vote may be decided early, as many as it takes at least. */
function waveSize({ harness }: RolloutJob): number {
  const { votes, voting } = harness.settings;
  return voting.stopWhenDecided ? Math.ceil((votes + 1) / 2) : votes;
}

async function runWave(job: RolloutJob, startMs: number, first: number, size: number): Promise<Vote[]> {
  const { votes } = job.harness.settings;
  const passes = Array.from({ length: size }, async (_, index): Promise<Vote> => {
    const pass = job.runner?.pass ?? agentLoop;
    const episode = await pass(job, startMs, votes === 1 ? null : first + index);
    return { episode, ...(await judge(job, episode)) };
  });
  // Every pass ends before an abort is passed on, so that nothing runs on behind the caller's back.
  const settled = await Promise.allSettled(passes);
  return settled.map((pass) => {
    if (pass.status === 'rejected') throw pass.reason;
    return pass.value;
  });
}

async function judge(
  job: RolloutJob,
  { answer, fault, wallLimitReached }: Episode,
): Promise<Pick<Vote, 'outcome' | 'verifierUsage'>> {
  if (fault !== null) {
    const { problem: why, ...rest } = fault;
    return { outcome: { kind: 'unscored', why, ...rest } };
  }
  if (wallLimitReached) {
    const why = `no answer within ${job.harness.settings.limits.wallMs} ms (limits.wallMs)`;
    return { outcome: { kind: 'scored', score: 0, extracted: null, why } };
  }
  const { usage, ...verdict } = await verdictOf(job, answer);
  // What was cut short is no verdict.
  if (job.signal?.aborted) throw new AbortedError();
  return { outcome: outcomeOf(verdict), ...(usage === undefined ? {} : { verifierUsage: usage }) };
}

function outcomeOf(verdict: Verdict): Outcome {
  const unjudged = { kind: 'unscored', boundary: 'verifier', cause: 'unjudged-answer' } as const;
  if (verdict.kind === 'unscored') {
    const { why, mayBeAnswer } = verdict;
    return mayBeAnswer ? { ...unjudged, why } : { kind: 'unscored', boundary: 'verifier', why };
  }
  if (verdict.score >= 0 && verdict.score <= 1) return verdict;
  return { ...unjudged, why: `the verifier gave the score ${verdict.score}; expected 0 to 1` };
}

async function verdictOf({ verifier, task, split, signal }: RolloutJob, answer: string | null): Promise<Verdict> {
  if (split === 'test' && verifier.refusesSealed)
    return { kind: 'unscored', why: 'this verifier must not decide the sealed test' };
  try {
    return await verifier.verify(task, answer, signal);
  } catch (error) {
    return { kind: 'unscored', why: `the verifier failed: ${errorMessage(error)}`, mayBeAnswer: true };
  }
}

function trajectoryOf(job: RolloutJob, startMs: number, judged: readonly Vote[]): Trajectory {
  const { votes, voting } = job.harness.settings;
  // What cannot be φ's doing comes first: then nothing is to be concluded.
  const unscored = judged.find(isUnscoredBy(false)) ?? judged.find(isUnscoredBy(true));
  const counted = unscored ?? (winner(judged, voting.weights) as Vote);
  const events = judged.flatMap(({ episode }) => episode.events);
  if (judged.length < votes) {
    const atMs = Math.round(job.clock.now() - startMs);
    events.push({ id: '', atMs, type: 'votes-decided', ran: judged.length, of: votes });
  }
  if (counted.outcome.kind === 'unscored' && counted.outcome.boundary === 'verifier') {
    const atMs = Math.round(job.clock.now() - startMs);
    events.push({ id: '', atMs, type: 'fault', boundary: 'verifier', problem: counted.outcome.why });
  }
  return {
    version: TRAJECTORY_VERSION,
    identity: rolloutIdentity(job),
    taskId: job.task.id,
    group: job.task.group,
    problem: job.task.problem,
    events: events.map((event, index) => ({ ...event, id: `e${index}` })),
    answer: counted.episode.answer,
    outcome: counted.outcome,
    usage: sumOfUsages(judged.map(({ episode }) => episode.usage)),
    ...verifierUsageOf(judged),
    wallMs: Math.round(job.clock.now() - startMs),
  };
}

function isUnscoredBy(isOwnDoing: boolean): (vote: Vote) => boolean {
  return ({ outcome }) => outcome.kind === 'unscored' && (outcome.cause !== undefined) === isOwnDoing;
}

/** Absent where no model judged. */
function verifierUsageOf(judged: readonly Vote[]): Pick<Trajectory, 'verifierUsage'> {
  const usages = judged.flatMap(({ verifierUsage }) => verifierUsage ?? []);
  if (usages.length === 0) return {};
  const calls = usages.reduce((sum, usage) => sum + usage.calls, 0);
  return { verifierUsage: { calls, ...sumOfUsages(usages) } };
}
