import { contentHash } from '../base/content-hash.ts';
import type { Harness } from '../harness/harness.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import type { Diagnosis } from './attribution.ts';
import type { Critic } from './critic.ts';
import { diagnose, readableFailures } from './evidence-critic.ts';
import { askReader, type VotedAnswer } from './reader/ask-reader.ts';
import type { CriticReader } from './reader/critic-reader.ts';
import { subjectOfRollout } from './reader/subject-of-rollout.ts';

export interface ReaderCriticOptions {
  /** Questions per failure; 4 gives the standing its meaning. */
  votes: number;
  /** Failures asked about in one call of `diagnose`; the rest keep what the evidence says. */
  mostFailures: number;
  signal?: AbortSignal;
  /** Told about every question: how the votes fell, and why replies were refused. */
  onVoted?: (rollout: string, voted: VotedAnswer) => void;
}

/** Below this the evidence asks for a second opinion. */
const SURE = 0.75;

/** Whether a reader is worth asking: the rules abstain, or blame φ without being sure. */
export function isUnsure(evidence: Diagnosis | undefined): boolean {
  return evidence === undefined || evidence.label === 'agent_error' || evidence.confidence < SURE;
}

/**
 * Evidence first, a reader for what remains: failures that the rules abstain on or are unsure of. Where both name a cause and differ, a
 * unanimous reader wins subject to replay, anything less is undecided. Without a valid reply the evidence stands as it is.
 */
export function composedCritic(reader: CriticReader, options: ReaderCriticOptions): Critic {
  return {
    name: `evidence + ${reader.name}`,
    diagnose: async (trajectories, harness) => {
      const found = diagnose(trajectories, harness);
      const answers = new Map<string, VotedAnswer>();
      for (const trajectory of chosen(
        readableFailures(trajectories, harness),
        byRollout(found),
        options.mostFailures,
      )) {
        const rollout = contentHash(trajectory.identity);
        const voted = await askReader(reader, subjectOfRollout(trajectory, harness), options);
        options.onVoted?.(rollout, voted);
        answers.set(rollout, voted);
      }
      return withOpinions(found, answers, harness, reader.name);
    },
  };
}

/** What rules found, with what a reader answered about some of the rollouts, `answers` by rollout: theirs first, in their order. */
export function withOpinions(
  found: readonly Diagnosis[],
  answers: ReadonlyMap<string, VotedAnswer>,
  harness: Harness,
  reader: string,
): Diagnosis[] {
  const merged = byRollout(found);
  for (const [rollout, voted] of answers) {
    const diagnosis = mergeOpinions(merged.get(rollout) ?? null, voted, rollout, harness, reader);
    if (diagnosis !== null) merged.set(rollout, diagnosis);
  }
  return [...merged.values()];
}

function byRollout(found: readonly Diagnosis[]): Map<string, Diagnosis> {
  return new Map(found.map((diagnosis) => [diagnosis.rollout, diagnosis]));
}

/** One of each mechanism before the second of any: a reader's time goes where rules have said least. */
function chosen(failures: readonly Trajectory[], found: ReadonlyMap<string, Diagnosis>, most: number): Trajectory[] {
  const unsure = failures.filter((trajectory) => isUnsure(found.get(contentHash(trajectory.identity))));
  const groups = [
    ...Map.groupBy(unsure, (trajectory) => found.get(contentHash(trajectory.identity))?.mechanism ?? '').values(),
  ];
  const ordered: Trajectory[] = [];
  for (let rank = 0; ordered.length < unsure.length; rank++)
    ordered.push(...groups.flatMap((group) => group[rank] ?? []));
  return ordered.slice(0, most);
}

/** What the rules found and what a reader answered, as one diagnosis; null when neither says anything. */
function mergeOpinions(
  evidence: Diagnosis | null,
  voted: VotedAnswer,
  rollout: string,
  harness: Harness,
  reader: string,
): Diagnosis | null {
  const { answer, standing } = voted;
  if (answer === null) return evidence;
  const opinion = diagnosisOf(answer, voted, rollout, harness, reader);
  if (evidence === null || evidence.label === 'agent_error') return opinion;
  if (answer.label === evidence.label) {
    const isSamePlace = answer.component === evidence.component;
    return {
      ...evidence,
      confidence: Math.max(evidence.confidence, isSamePlace ? opinion.confidence : 0),
      standing: isSamePlace ? 'firm' : 'needs-replay',
    };
  }
  return standing === 'firm' ? { ...opinion, standing: 'needs-replay' } : { ...evidence, standing: 'undecided' };
}

function diagnosisOf(
  answer: NonNullable<VotedAnswer['answer']>,
  { agree, asked, standing }: VotedAnswer,
  rollout: string,
  harness: Harness,
  reader: string,
): Diagnosis {
  const repair = (answer.repair ?? []).filter(
    ({ path }) => harness.files.has(path.split('#')[0] ?? '') || !path.includes('#'),
  );
  return {
    rollout,
    label: answer.label,
    component: answer.component,
    path: answer.path,
    // Readers word a mechanism anew each time: what they point at is what failures share.
    mechanism: `read:${answer.path ?? answer.label}`,
    explanation: answer.mechanism,
    severity: answer.severity,
    confidence: (answer.confidence * agree) / Math.max(1, asked),
    evidence: answer.evidence,
    ...(repair.length === 0
      ? {}
      : {
          repair: repair.map(({ path, old, new: value }) => ({
            path,
            ...(old === undefined || old === null ? {} : { old }),
            value,
          })),
        }),
    standing,
    critic: reader,
  };
}
