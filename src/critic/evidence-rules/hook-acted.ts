import { canonicalJson } from '../../base/content-hash.ts';
import type { Harness } from '../../harness/harness.ts';
import type { Trajectory } from '../../trajectory/trajectory.ts';
import { type EventOf, eventsOf, evidence } from '../event-evidence.ts';
import { type EvidenceRule, evidenceRule, type Finding } from '../evidence-rule.ts';

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

interface HookFinding extends Pick<Finding, 'explanation' | 'severity' | 'confidence'> {
  acted: Acted;
  also?: Finding['evidence'];
}

/** A rule that lays a failure to the middleware of an event, where φ still has it. */
function hookRule(name: string, find: (trajectory: Trajectory) => HookFinding | null): EvidenceRule {
  return evidenceRule(name, 'middleware_mismatch', (trajectory, harness) => {
    const found = find(trajectory);
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
