import { contentHash, shortHash } from '../../base/content-hash.ts';
import type { Harness } from '../../harness/harness.ts';
import type { Trajectory, TrajectoryEvent } from '../../trajectory/trajectory.ts';
import type { CriticSubject, SubjectLine } from './critic-subject.ts';

/** A failed rollout as a subject: the files of φ, then what was really sent and what came, event by event. The gold answer is not part of it. */
export function subjectOfRollout(trajectory: Trajectory, harness: Harness): CriticSubject {
  const { outcome } = trajectory;
  const end =
    outcome.kind === 'scored'
      ? `score ${outcome.score}; read as the answer: ${outcome.extracted ?? '(nothing)'}`
      : 'unscored';
  return {
    id: shortHash(contentHash(trajectory.identity)),
    problem: '',
    parts: [
      {
        title: 'Harness (one entry a file; a field of a YAML file is FILE#/json/pointer)',
        lines: [...harness.files].map(([file, text]) => ({ event: file, text })),
      },
      {
        title: 'Rollout',
        lines: [
          { event: '', text: `task: ${trajectory.problem}` },
          ...eventLines(trajectory),
          { event: '', text: end },
        ],
      },
    ],
  };
}

function eventLines(trajectory: Trajectory): SubjectLine[] {
  let sent = 0;
  return trajectory.events.flatMap((event): SubjectLine[] => {
    if (event.type !== 'model-called') return [{ event: event.id, text: plain(event) }];
    // Later requests repeat the earlier ones: only what is new in them is shown, and how long they were.
    const isTrimmed = event.messages.length < sent;
    const fresh = isTrimmed ? event.messages.slice(-2) : event.messages.slice(sent);
    sent = event.messages.length;
    const request = fresh.map(({ role, content }) => `  ${role}: ${content}`).join('\n');
    const facts = `turn ${event.turn} (${event.turnKind}), ${event.messages.length} messages, ${event.usage.promptTokens} prompt tokens, at most ${event.maxTokens} to generate, stop ${JSON.stringify(event.stop)}, temperature ${event.sampling.temperature}`;
    return [{ event: event.id, text: `sent: ${facts}\n${request}\n  reply (${event.finishReason}): ${event.text}` }];
  });
}

function plain(event: TrajectoryEvent): string {
  const { id: _id, atMs: _atMs, type, ...fields } = event;
  return `${type} ${JSON.stringify(fields)}`;
}
