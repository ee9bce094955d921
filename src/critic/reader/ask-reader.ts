import type { Standing } from '../attribution.ts';
import { askTwice } from './ask-twice.ts';
import { criticPrompt } from './critic-prompt.ts';
import type { CriticReader } from './critic-reader.ts';
import type { CriticSubject } from './critic-subject.ts';
import { type CheckedReply, type ReaderAnswer, readReply } from './read-reply.ts';

/** What came of asking a reader n times about one subject. */
export interface VotedAnswer {
  /** The majority's surest answer; null when no reply was valid. */
  answer: ReaderAnswer | null;
  /** Votes for its label and component, of `asked`. */
  agree: number;
  asked: number;
  /** Replies refused, those that a second try made good left out. */
  invalid: number;
  /** Why each was refused, first reason first. */
  refusals: string[];
  standing: Standing;
  /** Of all questions, refused replies included. */
  usage: ReaderUsage;
}

export interface ReaderUsage {
  calls: number;
  promptTokens: number;
  completionTokens: number;
}

/**
 * Asks `votes` times. A refused reply is asked again once, with half the input; refused again, the vote is invalid and counts for nothing but
 * the denominator. Rejects with AbortedError or `budget-spent`.
 */
export async function askReader(
  reader: CriticReader,
  subject: CriticSubject,
  { votes, signal }: { votes: number; signal?: AbortSignal },
): Promise<VotedAnswer> {
  const replies: CheckedReply[] = [];
  const usage: ReaderUsage = { calls: 0, promptTokens: 0, completionTokens: 0 };
  const counted = countingReader(reader, usage);
  for (let start = 0; start < votes; start += reader.concurrency) {
    const size = Math.min(reader.concurrency, votes - start);
    const batch = Array.from({ length: size }, (_, index) =>
      askOnce(counted, subject, { vote: start + index, ...(signal === undefined ? {} : { signal }) }),
    );
    replies.push(...(await Promise.all(batch)));
  }
  return { ...countVotes(replies), usage };
}

/** The same reader, its questions and tokens added to `usage`. */
export function countingReader(reader: CriticReader, usage: ReaderUsage): CriticReader {
  return {
    ...reader,
    read: async (prompt, options) => {
      const reply = await reader.read(prompt, options);
      usage.calls++;
      usage.promptTokens += reply.kind === 'text' ? (reply.usage?.promptTokens ?? 0) : 0;
      usage.completionTokens += reply.kind === 'text' ? (reply.usage?.completionTokens ?? 0) : 0;
      return reply;
    },
  };
}

async function askOnce(
  reader: CriticReader,
  subject: CriticSubject,
  options: { vote: number; signal?: AbortSignal },
): Promise<CheckedReply> {
  const replies = await askTwice(
    reader,
    (characters) => criticPrompt(subject, characters),
    (reply, { events }) => readReply(reply, events),
    options,
  );
  return replies.at(-1) as CheckedReply;
}

/** The majority over label and component. All of them: firm. Three of four or more: to be replayed. Less: undecided. One voice alone is never firm. */
export function countVotes(replies: readonly CheckedReply[]): Omit<VotedAnswer, 'usage'> {
  const answers = replies.flatMap((reply) => (reply.ok ? [reply.value] : []));
  const groups = [...Map.groupBy(answers, ({ label, component }) => `${label} ${component}`).values()].sort(
    (a, b) => b.length - a.length,
  );
  const majority = groups[0] ?? [];
  const isTied = groups.length > 1 && groups[1]?.length === majority.length;
  const share = majority.length / Math.max(1, replies.length);
  const standing: Standing =
    isTied || majority.length === 0
      ? 'undecided'
      : share === 1 && replies.length > 1
        ? 'firm'
        : share >= 0.75
          ? 'needs-replay'
          : 'undecided';
  const answer = [...majority].sort((a, b) => b.confidence - a.confidence)[0] ?? null;
  const refusals = replies.flatMap((reply) => (reply.ok ? [] : [reply.why]));
  return { answer, agree: majority.length, asked: replies.length, invalid: refusals.length, refusals, standing };
}
