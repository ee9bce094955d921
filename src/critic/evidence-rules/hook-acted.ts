import { canonicalJson } from '../../base/content-hash.ts';
import type { Harness } from '../../harness/harness.ts';
import type { Trajectory } from '../../trajectory/trajectory.ts';
import {
  type EventOf,
  eventsOf,
  evidence,
  holdsWord,
  isSameValue,
  lastEventOf,
  modelCallOf,
} from '../event-evidence.ts';
import { type EvidenceRule, evidenceRule, type Finding } from '../evidence-rule.ts';
import { requestAfter } from '../sent-text.ts';

type Acted = EventOf<'middleware-acted'>;

/** A middleware held back part of a result or of the history, and the model asked for the same again. */
export const hookHidResult = hookRule('hook-hid-result', (trajectory) => {
  const hidden = actedIn(trajectory, ['changed-result', 'rewrote-history']);
  const calls = eventsOf(trajectory, 'call-parsed');
  const keys = calls.map(({ call }) => canonicalJson(call));
  const again = calls.findLast(({ id, turn }, index) => {
    const first = keys.indexOf(keys[index] ?? '');
    const between = hidden.some((event) => event.turn >= (calls[first]?.turn ?? 0) && event.turn <= turn);
    return first < index && between && id !== calls[first]?.id;
  });
  const acted = hidden.findLast((event) => again !== undefined && event.turn <= again.turn);
  if (again === undefined || acted === undefined) return null;
  return {
    acted,
    explanation: 'A middleware held back part of what came before, and the model made the same call again.',
    severity: 0.8,
    confidence: 0.75,
    also: [evidence(again, again.raw)],
  };
});

/** A middleware did not let a call run, and no answer came of it. */
export const hookStoppedCall = hookRule('hook-stopped-call', (trajectory) => {
  const acted = actedIn(trajectory, ['stopped-call']).at(-1);
  if (acted === undefined || hasAnswer(trajectory)) return null;
  return {
    acted,
    explanation: 'A middleware answered a call instead of running it, and no answer came of it.',
    severity: 0.7,
    confidence: 0.5,
  };
});

/** A middleware sent a reply back and no answer came of it. */
export const hookAskedInVain = hookRule('hook-asked-in-vain', (trajectory) => {
  const acted = actedIn(trajectory, ['asked-again']).at(-1);
  if (acted === undefined || hasAnswer(trajectory)) return null;
  return {
    acted,
    explanation: 'A middleware sent a reply back to the model, and no answer came of it.',
    severity: 0.6,
    confidence: 0.5,
  };
});

/** A middleware put another answer in the place of the model's, and it was wrong. */
export const hookChangedAnswer = hookRule('hook-changed-answer', (trajectory) => {
  const acted = actedIn(trajectory, ['changed-answer']).at(-1);
  if (acted === undefined) return null;
  return {
    acted,
    explanation: 'The answer that counted was put together by a middleware, and it was wrong.',
    severity: 0.7,
    confidence: 0.55,
  };
});

/** A middleware cut the very value out of a result: what the model was then shown does not hold it. */
export const hookHidValue = hookRule('hook-hid-value', (trajectory) => {
  for (const acted of actedIn(trajectory, ['changed-result'])) {
    const returned = resultBefore(trajectory, acted);
    const next = requestAfter(trajectory, acted.turn);
    if (returned === undefined || next === undefined || returned.value.length > SHORT_VALUE) continue;
    const shown = next.messages.slice(1 + next.messages.findLastIndex(({ role }) => role === 'assistant'));
    if (returned.value.trim() === '' || shown.some(({ content }) => holdsWord(content, returned.value))) continue;
    return {
      acted,
      explanation: 'A middleware shortened a result, and the value itself is not in what the model was shown.',
      severity: 0.9,
      confidence: 0.85,
      also: [evidence(returned, returned.value)],
    };
  }
  return null;
});

/** The result that a hook of the same turn was given: several calls of a turn come back one after the other. */
function resultBefore({ events }: Trajectory, acted: Acted): EventOf<'tool-returned'> | undefined {
  return events
    .slice(0, events.indexOf(acted))
    .findLast(
      (event): event is EventOf<'tool-returned'> => event.type === 'tool-returned' && event.turn === acted.turn,
    );
}

/** Characters up to which a value is one, and not a text of which a part may do. */
const SHORT_VALUE = 80;

/** A middleware sent back a reply that gave the last tool value, and the answer that counted in the end is another. */
export const hookSetAnswerAside = hookRule('hook-set-answer-aside', (trajectory) => {
  const { outcome } = trajectory;
  if (outcome.kind !== 'scored') return null;
  for (const acted of actedIn(trajectory, ['asked-again'])) {
    const reply = modelCallOf(trajectory, acted.turn)?.text ?? '';
    const returned = eventsOf(trajectory, 'tool-returned').findLast(({ turn }) => turn < acted.turn);
    if (!acted.setsAside || returned === undefined || !holdsWord(reply, returned.value)) continue;
    if (outcome.extracted !== null && isSameValue(outcome.extracted, returned.value)) continue;
    return {
      acted,
      explanation: 'A middleware sent back a reply that held the last tool value, and what came after it was wrong.',
      severity: 0.9,
      confidence: 0.8,
      also: [evidence(returned, returned.value)],
    };
  }
  return null;
});

/** Turns that must have been left for an end to be early. */
const TURNS_LEFT = 2;

/** A middleware spoke while the model was at work with turns left, and in that very turn it stopped calling and answered. */
export const hookEndedWork = hookRule('hook-ended-work', (trajectory, harness) => {
  const acted = actedIn(trajectory, ['said']).at(-1);
  if (acted === undefined || acted.turn === 0) return null;
  const wasWorking = eventsOf(trajectory, 'call-parsed').some(({ turn }) => turn === acted.turn - 1);
  const stopped = eventsOf(trajectory, 'no-call').find(({ turn }) => turn === acted.turn);
  const isLast = lastEventOf(trajectory, 'model-called')?.turn === acted.turn;
  // One that spoke before, and the work went on, did not end it by speaking.
  const spokeInVain = actedIn(trajectory, ['said']).some(
    ({ middleware, turn }) => middleware === acted.middleware && turn < acted.turn,
  );
  if (!wasWorking || spokeInVain || stopped === undefined || !isLast) return null;
  if (harness.settings.limits.turns - 1 - acted.turn < TURNS_LEFT) return null;
  return {
    acted,
    explanation: `A middleware spoke at turn ${acted.turn + 1} of ${harness.settings.limits.turns}, and the model ended its work in that turn.`,
    severity: 0.7,
    confidence: 0.6,
  };
});

interface HookFinding extends Pick<Finding, 'explanation' | 'severity' | 'confidence'> {
  acted: Acted;
  also?: Finding['evidence'];
}

/** A rule that lays a failure to the middleware of an event, where φ still has it. */
function hookRule(name: string, find: (trajectory: Trajectory, harness: Harness) => HookFinding | null): EvidenceRule {
  return evidenceRule(name, 'middleware_mismatch', (trajectory, harness) => {
    const found = find(trajectory, harness);
    if (found === null) return null;
    const { acted, also = [], ...finding } = found;
    const shown = evidence(acted, `${acted.middleware} ${acted.action}: ${acted.detail}`);
    return { ...finding, component: 'middleware', path: pathOf(harness, acted.middleware), evidence: [shown, ...also] };
  });
}

function pathOf(harness: Harness, id: string): string {
  const file = `middleware/${id}.yaml`;
  return harness.files.has(file) ? file : `middleware/${id}.js`;
}

function actedIn(trajectory: Trajectory, actions: readonly Acted['action'][]): Acted[] {
  return eventsOf(trajectory, 'middleware-acted').filter(({ action }) => actions.includes(action));
}

function hasAnswer({ outcome }: Trajectory): boolean {
  return outcome.kind === 'scored' && outcome.extracted !== null;
}
