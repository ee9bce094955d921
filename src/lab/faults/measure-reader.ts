import { setMaxListeners } from 'node:events';
import { evidenceCritic } from '../../critic/evidence-critic.ts';
import { askReader, type VotedAnswer } from '../../critic/reader/ask-reader.ts';
import type { CriticReader } from '../../critic/reader/critic-reader.ts';
import { subjectOfRollout } from '../../critic/reader/subject-of-rollout.ts';
import { isUnsure, withOpinions } from '../../critic/reader-critic.ts';
import { totalTokens } from '../../model/tokens-of.ts';
import { attributeDiagnosed } from './attribute-group.ts';
import { minedOf, type Truth } from './collect-failures.ts';
import { type DrawnFailure, drawFailures } from './draw-failures.ts';
import type { FaultSplit } from './fault-catalogues.ts';
import { type FaultLabOptions, type FaultLabResult, faultGroups } from './run-fault-lab.ts';
import { type Attributed, scoreAttributions } from './score-attributions.ts';

export const READER_LAB_SCHEMA = 'co-harness/lab-reader@1';

export interface ReaderLabOptions {
  reader: CriticReader;
  /** Failures asked about, at most. */
  failures: number;
  /** Questions a failure, ≥ 1. */
  votes: number;
  /** Failures asked about at once, ≥ 1. */
  concurrency: number;
  split: FaultSplit;
  signal?: AbortSignal;
  onProgress?: (text: string) => void;
}

export interface ReaderLabReport {
  schema: typeof READER_LAB_SCHEMA;
  split: FaultSplit;
  seed: number;
  votes: number;
  /** Mutations (and intact harnesses) that the failures come from. */
  groups: number;
  /** Votes, those that stayed invalid after a second try, and the distinct reasons. */
  replies: { asked: number; invalid: number; refusals: string[] };
  /** The reader alone, the evidence critic alone, and both composed as in a run, on the same failures. */
  results: FaultLabResult[];
  /** In the order of the draw: the truth and what each critic said, null where undecided. The mutation is not named, so that the held-out kinds stay unseen. */
  failures: { truth: Truth; said: Record<string, Pick<Attributed, 'label' | 'component'>> }[];
}

/** Asks a reader about a balanced draw of one split's failures. The draw is deterministic given the lab's options. Rejects as `askReader` does. */
export async function measureReader(lab: FaultLabOptions, options: ReaderLabOptions): Promise<ReaderLabReport> {
  const { reader, split, votes, onProgress = () => {} } = options;
  onProgress(`collecting failures: ${split}`);
  const drawn = drawFailures(await faultGroups(split, lab), { count: options.failures, seed: lab.seed });
  const voted = await askAll(drawn, options);
  const judged = await judgeDrawn(drawn, voted, reader.name);
  const groups = new Set(drawn.map(({ group }) => group)).size;
  return {
    schema: READER_LAB_SCHEMA,
    split,
    seed: lab.seed,
    votes,
    groups,
    replies: {
      asked: sum(voted, ({ asked }) => asked),
      invalid: sum(voted, ({ invalid }) => invalid),
      refusals: [...new Set(voted.flatMap(({ refusals }) => refusals))],
    },
    results: judged.map(({ critic, attributed, asked }) => ({
      critic,
      replay: false,
      actor: 'scripted',
      split,
      ...scoreAttributions(attributed),
      cost: {
        modelCalls: sum(asked, ({ usage }) => usage.calls),
        tokens: totalTokens(asked.map(({ usage }) => usage)),
      },
      groups,
    })),
    failures: drawn.map(({ group }, index) => ({
      truth: group.truth,
      said: Object.fromEntries(
        judged.map(({ critic, attributed }) => {
          const { label = null, component = null } = attributed[index] ?? {};
          return [critic, { label, component }];
        }),
      ),
    })),
  };
}

/** Answers in the order of `drawn`. Where one question rejects, the others are stopped. */
async function askAll(
  drawn: readonly DrawnFailure[],
  { reader, votes, concurrency, signal, onProgress = () => {} }: ReaderLabOptions,
): Promise<VotedAnswer[]> {
  const own = new AbortController();
  const either = AbortSignal.any([own.signal, ...(signal === undefined ? [] : [signal])]);
  setMaxListeners(0, either);
  const voted: VotedAnswer[] = [];
  let answered = 0;
  const work = async (queue: Iterable<[number, DrawnFailure]>): Promise<void> => {
    for (const [index, { group, failure }] of queue) {
      const subject = subjectOfRollout(failure.trajectory, group.harness);
      voted[index] = await askReader(reader, subject, { votes, signal: either });
      onProgress(`${reader.name}: ${++answered} of ${drawn.length} failures`);
    }
  };
  // All take from one queue, so that a slow answer holds up nobody else.
  const queue = drawn.entries();
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, drawn.length) }, () => work(queue)));
  } catch (error) {
    own.abort();
    throw error;
  }
  return voted;
}

interface Judged {
  critic: string;
  /** In the order of the draw. */
  attributed: Attributed[];
  /** The answers that this critic had to pay for. */
  asked: readonly VotedAnswer[];
}

/** What the reader, the evidence and both together make of the same failures. Evidence sees the whole group, as in a run; the reader one rollout. */
async function judgeDrawn(
  drawn: readonly DrawnFailure[],
  voted: readonly VotedAnswer[],
  reader: string,
): Promise<Judged[]> {
  const said = new Map(drawn.map((one, index) => [one, voted[index] as VotedAnswer]));
  const needed: VotedAnswer[] = [];
  const judged = new Map<DrawnFailure, Attributed[]>();
  for (const [group, members] of Map.groupBy(drawn, (one) => one.group)) {
    const found = await evidenceCritic.diagnose(minedOf(group), group.harness);
    const answers = new Map(members.map((one) => [one.failure.key, said.get(one) as VotedAnswer]));
    const unsure = new Map([...answers].filter(([key]) => isUnsure(found.find(({ rollout }) => rollout === key))));
    needed.push(...unsure.values());
    const failures = members.map(({ failure }) => failure);
    const ofCritics = [
      withOpinions([], answers, group.harness, reader),
      found,
      withOpinions(found, unsure, group.harness, reader),
    ].map((diagnoses) => attributeDiagnosed(group, diagnoses, failures));
    for (const [index, one] of members.entries())
      judged.set(
        one,
        ofCritics.flatMap((attributed) => attributed[index] ?? []),
      );
  }
  const critics = [
    { critic: reader, asked: voted },
    { critic: evidenceCritic.name, asked: [] },
    { critic: `${evidenceCritic.name} + ${reader}`, asked: needed },
  ];
  return critics.map((one, index) => ({
    ...one,
    attributed: drawn.flatMap((each) => judged.get(each)?.[index] ?? []),
  }));
}

function sum<T>(items: readonly T[], count: (item: T) => number): number {
  return items.reduce((total, item) => total + count(item), 0);
}
