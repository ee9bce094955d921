import { shortHash } from '../base/content-hash.ts';
import type { ChatMessage } from '../model/model-backend.ts';
import type { Trajectory, TrajectoryEvent } from './trajectory.ts';

const COLUMNS = 80;
const LABEL = 12;

/**
 * Readable transcript, 80 columns: who ran what, the messages of the first call, then every event in order. Later calls show only what is new in
 * them. Ends with the outcome. No trailing line break.
 */
export function renderTrajectory(trajectory: Trajectory): string {
  const { identity, events, usage, wallMs } = trajectory;
  const adapter = identity.model.adapter === null ? 'no adapter' : `adapter ${shortHash(identity.model.adapter)}`;
  const lines = [
    `Task ${trajectory.taskId} (${identity.split}), repeat ${identity.repeat}, seed ${identity.seed}`,
    `Harness ${shortHash(identity.harness)}, model ${shortHash(identity.model.base)}, ${adapter}`,
    '─'.repeat(COLUMNS),
  ];
  const shown = new Map<number, number>();
  for (const event of events) lines.push(...renderEvent(event, shown));
  lines.push(
    '─'.repeat(COLUMNS),
    ...labelled('outcome', renderOutcome(trajectory)),
    ...labelled(
      'cost',
      `${usage.promptTokens} prompt + ${usage.completionTokens} generated tokens${usage.isEstimated ? ' (estimated)' : ''}, ${(wallMs / 1000).toFixed(1)} s`,
    ),
  );
  return lines.join('\n');
}

/** `shown`: messages of a vote that have been printed, so that a call prints only what is new. */
function renderEvent(event: TrajectoryEvent, shown: Map<number, number>): string[] {
  switch (event.type) {
    case 'model-called': {
      if (event.turnKind === 'summary') return labelled('summary', event.text, event.id);
      const vote = event.vote ?? 0;
      const known = shown.get(vote) ?? 0;
      const fresh = event.messages.slice(known);
      shown.set(vote, event.messages.length + 1);
      const note = event.finishReason === 'end' ? '' : ` [${event.finishReason}]`;
      return [...fresh.flatMap(renderMessage), ...labelled('model', `${event.text}${note}`, event.id)];
    }
    case 'call-parsed':
      return labelled('call', `${event.call.tool} ${JSON.stringify(event.call.arguments)}`, event.id);
    case 'call-unreadable':
      return labelled('unreadable', event.problem, event.id);
    case 'no-call':
      return labelled('no call', 'the reply holds no call', event.id);
    case 'tool-refused':
      return labelled('refused', event.problem, event.id);
    case 'tool-returned':
      return labelled('value', event.value, event.id);
    case 'tool-failed':
      return labelled('failed', `${event.errorType}: ${event.problem}`, event.id);
    case 'history-trimmed':
      shown.set(event.vote ?? 0, Math.max(0, (shown.get(event.vote ?? 0) ?? 0) - event.droppedMessages));
      return labelled('trimmed', `${event.droppedMessages} messages left the history`, event.id);
    case 'middleware-acted':
      return labelled(
        'middleware',
        `${event.middleware} ${event.action.replaceAll('-', ' ')}: ${event.detail}`,
        event.id,
      );
    case 'memory-acted':
      return labelled('memory', `${event.action.replaceAll('-', ' ')}: ${event.detail}`, event.id);
    case 'skill-loaded':
      return labelled('skill', `${event.skill} (by ${event.by})`, event.id);
    case 'retried':
      return labelled('retry', `${event.what}, try ${event.attempt} after ${event.pauseMs} ms: ${event.why}`, event.id);
    case 'votes-decided':
      return labelled('votes', `decided after ${event.ran} of ${event.of}`, event.id);
    case 'turn-limit-reached':
      return labelled('limit', 'no working turn is left', event.id);
    case 'wall-limit-reached':
      return labelled('limit', 'the time of the rollout is over', event.id);
    case 'answered':
      return labelled('answer', event.answer ?? '(none)', event.id);
    case 'fault':
      return labelled('fault', `${event.boundary}: ${event.problem}`, event.id);
  }
}

function renderMessage({ role, content }: ChatMessage): string[] {
  return labelled(role, content);
}

function renderOutcome({ outcome }: Trajectory): string {
  if (outcome.kind === 'unscored') return `unscored (${outcome.boundary}): ${outcome.why}`;
  return `score ${outcome.score}: ${outcome.why}`;
}

function labelled(label: string, text: string, id = ''): string[] {
  const lines = text.split('\n').flatMap((line) => wrap(line, COLUMNS - LABEL - 6));
  return lines.map((line, index) => {
    const margin = index === 0 ? `${id.padEnd(5)} ${label.padEnd(LABEL)}` : ' '.repeat(LABEL + 6);
    return `${margin}${line}`.trimEnd();
  });
}

function wrap(line: string, width: number): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const blank = rest.lastIndexOf(' ', width);
    const at = blank > 0 ? blank : width;
    lines.push(rest.slice(0, at));
    rest = rest.slice(at).trimStart();
  }
  return [...lines, rest];
}
