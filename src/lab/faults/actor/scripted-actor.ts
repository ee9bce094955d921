import type { GenerationRequest } from '../../../model/model-backend.ts';
import { answerText } from './answer-text.ts';
import { type CallForm, writeCall } from './call-form.ts';
import type { Move } from './move.ts';
import { type SeenRequest, seenRequest } from './seen-request.ts';

/** What an actor can do besides reading: understand the tasks of its scenario and know what to do next. */
export interface ActorMind {
  /** The part of a text that is a task; null when there is none. */
  understands(text: string): string | null;
  /** Next move for a request in which a task was seen. */
  decide(seen: SeenRequest, problem: string): Move;
}

export interface ActorHabits {
  /** Share of rollouts that go wrong by luck alone, where the request samples. */
  slipRate: number;
  /** Share of the problems that this actor misreads, whatever the harness. */
  misreadRate: number;
  /** Share of the problems at which it writes its first call badly, and corrects it when it is told what was wrong. */
  clumsyRate: number;
}

export const USUAL_HABITS: ActorHabits = { slipRate: 0.03, misreadRate: 0.08, clumsyRate: 0.25 };

/**
 * A model whose reply depends on the rendered request alone: it writes calls in the form that it is shown, keeps to the schemas it is offered, follows
 * the routines that stand there, forgets what is not in the request, and makes mistakes of its own.
 */
export function scriptedActor(
  mind: ActorMind,
  habits: ActorHabits = USUAL_HABITS,
): (request: GenerationRequest) => string {
  return (request) => {
    const seen = seenRequest(request, (text) => mind.understands(text));
    if (seen.problem === null) return 'I do not see a question. What can I do for you?';
    return slip(seen, habits, request) ?? express(seen, habits, mind.decide(seen, seen.problem));
  };
}

/** Mistakes of the moment: they come and go with the seed. */
function slip(seen: SeenRequest, { slipRate }: ActorHabits, request: GenerationRequest): string | null {
  if (request.sampling.temperature === 0 || seen.chance('slip') >= slipRate) return null;
  const kinds = [
    'That is easy: it is 7.',
    'calculator(7)',
    '',
    'I would use a tool for this. It would say 7.',
    'I have thought about it and I am done.',
  ];
  return kinds[Math.floor(seen.chance('kind of slip') * kinds.length)] ?? null;
}

function express(seen: SeenRequest, habits: ActorHabits, move: Move): string {
  if (move.kind === 'lost') return move.text;
  if (move.kind === 'answer') return answerText(seen, move.value);
  const refusal = aversion(seen, habits);
  if (seen.mustAnswer) return answerText(seen, move.guess);
  if (refusal !== null) return refusal === 'guess' ? answerText(seen, move.guess) : refusal;
  if (seen.lines.some((line) => /\bestimate\b/i.test(line))) return `My estimate is ${move.guess}.`;
  if (skipsTool(seen, move)) return answerText(seen, move.guess);
  if (seen.form === null) return withoutForm(seen, move);
  return written(seen, habits, seen.form, move);
}

/** Whims that no instruction cures: a few problems on which it does not act although everything is clear. */
function aversion(seen: SeenRequest, { misreadRate }: ActorHabits): 'guess' | string | null {
  const whim = seen.nature('whim');
  if (whim < misreadRate / 4) return 'guess';
  return whim < misreadRate / 2 ? 'I am sorry, I cannot help with this.' : null;
}

/** Works things out by itself where nothing asks for a tool, or where a line keeps the tool for something else. */
function skipsTool(seen: SeenRequest, move: Extract<Move, { kind: 'calls' }>): boolean {
  if (seen.lines.some((line) => /\btool only\b/i.test(line)) && !/\d{4}/.test(JSON.stringify(move.calls))) return true;
  const isAsked = seen.lines.some((line) => /\balways\b.*\b(tools?|calls?)\b/i.test(line)) || seen.examples.length > 0;
  return !isAsked && seen.nature('by itself') < 0.5;
}

function withoutForm(seen: SeenRequest, { calls, guess }: Extract<Move, { kind: 'calls' }>): string {
  const [call] = calls;
  if (call === undefined || seen.nature('own form') < 0.5)
    return `I would use a tool for this; it should come to ${guess}.`;
  const given = Object.entries(call.arguments).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${call.tool}(${given.join(', ')})`;
}

function written(
  seen: SeenRequest,
  { clumsyRate }: ActorHabits,
  form: CallForm,
  { calls }: Extract<Move, { kind: 'calls' }>,
): string {
  const corrections = seen.exchanges.filter(
    ({ isError, answer }) => isError && /[a-z]{3,}.*[a-z]{3,}/i.test(answer),
  ).length;
  const clumsiness = seen.nature('clumsy');
  const slipsLeft = (clumsiness < clumsyRate ? 1 : 0) + (clumsiness < clumsyRate / 3 ? 1 : 0) - corrections;
  const texts = copied(seen) ?? calls.map((call) => writeCall(form, call));
  const thought = seen.nature('thinks aloud') < 0.5 ? 'Let me see.\n' : '';
  if (slipsLeft <= 0 || hasActed(seen)) return `${thought}${texts.join('\n')}`;
  return `${thought}${texts.map((text) => text.replace(/\}(?=[^}]*$)/, '')).join('\n')}`;
}

/** Worked examples whose calls do not fit their problems teach to copy: the first call of the first one, for some problems. */
function copied({ examples, nature }: SeenRequest): string[] | null {
  const numbers = (text: string) => new Set(text.match(/\d+/g) ?? []);
  const areFitting = examples.some(({ problem, turns }) => !numbers(problem).isDisjointFrom(numbers(turns[0] ?? '')));
  const [first] = examples;
  return first === undefined || areFitting || nature('copies') >= 0.6 ? null : [first.turns[0] ?? ''];
}

function hasActed({ exchanges }: SeenRequest): boolean {
  return exchanges.some(({ isError, answer }) => !isError && answer !== '');
}
