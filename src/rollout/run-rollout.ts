import { errorMessage } from '../base/errors.ts';
import type { Verdict } from '../task/verifier.ts';
import { type Outcome, TRAJECTORY_VERSION, type Trajectory } from '../trajectory/trajectory.ts';
import { agentLoop, type Episode } from './agent-loop.ts';
import { rolloutIdentity } from './rollout-identity.ts';
import type { RolloutJob, RunRollout } from './rollout-job.ts';

export type { RolloutJob, RunRollout } from './rollout-job.ts';

interface Judged {
  episode: Episode;
  outcome: Outcome;
}

/**
 * One rollout: φ's votes (mostly one) run side by side, each answer is judged, and the majority answer counts. A vote's answer is what the verifier
 * extracts from it; ties go to the earliest; votes without an answer count only when no vote has one. Infrastructure failing in any vote leaves
 * the whole rollout unscored.
 */
export const runRollout: RunRollout = async (job) => {
  const startMs = job.clock.now();
  const { votes } = job.harness.settings;
  const passes = Array.from({ length: votes }, async (_, vote): Promise<Judged> => {
    const episode = await agentLoop(job, startMs, votes === 1 ? null : vote);
    return { episode, outcome: await judge(job, episode) };
  });
  // Every pass ends before an abort is passed on, so that nothing runs on behind the caller's back.
  const settled = await Promise.allSettled(passes);
  const judged = settled.map((pass) => {
    if (pass.status === 'rejected') throw pass.reason;
    return pass.value;
  });
  return trajectoryOf(job, startMs, judged);
};

async function judge(job: RolloutJob, { answer, fault, wallLimitReached }: Episode): Promise<Outcome> {
  if (fault !== null) return { kind: 'unscored', boundary: fault.boundary, why: fault.problem };
  if (wallLimitReached) {
    const why = `no answer within ${job.harness.settings.limits.wallMs} ms (limits.wallMs)`;
    return { kind: 'scored', score: 0, extracted: null, why };
  }
  const verdict = await verdictOf(job, answer);
  if (verdict.kind === 'unscored') return { kind: 'unscored', boundary: 'verifier', why: verdict.why };
  if (verdict.score >= 0 && verdict.score <= 1) return verdict;
  return {
    kind: 'unscored',
    boundary: 'verifier',
    why: `the verifier gave the score ${verdict.score}; expected 0 to 1`,
  };
}

async function verdictOf({ verifier, task }: RolloutJob, answer: string | null): Promise<Verdict> {
  try {
    return await verifier.verify(task, answer);
  } catch (error) {
    return { kind: 'unscored', why: `the verifier failed: ${errorMessage(error)}` };
  }
}

function trajectoryOf(job: RolloutJob, startMs: number, judged: readonly Judged[]): Trajectory {
  const counted = judged.find(({ outcome }) => outcome.kind === 'unscored') ?? majority(judged);
  const events = judged.flatMap(({ episode }) => episode.events);
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
    usage: {
      promptTokens: sum(judged, ({ episode }) => episode.usage.promptTokens),
      completionTokens: sum(judged, ({ episode }) => episode.usage.completionTokens),
    },
    wallMs: Math.round(job.clock.now() - startMs),
  };
}

function majority(judged: readonly Judged[]): Judged {
  const counts = new Map<string, { first: Judged; count: number }>();
  for (const vote of judged) {
    const answer = vote.outcome.kind === 'scored' ? vote.outcome.extracted : null;
    if (answer === null) continue;
    const known = counts.get(answer);
    if (known === undefined) counts.set(answer, { first: vote, count: 1 });
    else known.count++;
  }
  let best: { first: Judged; count: number } | undefined;
  for (const candidate of counts.values()) if (best === undefined || candidate.count > best.count) best = candidate;
  return best?.first ?? (judged[0] as Judged);
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
