import { errorMessage } from './errors.ts';
import { type CharacterTest, type PatternNode, type PlaceTest, parsePattern } from './linear-pattern-parser.ts';

/** Steps of a compiled pattern, counted repetitions unrolled; more are refused. */
const MOST_STEPS = 2_000;
/** Characters of a text that are looked at. */
const MOST_CHARACTERS = 20_000;

type Step =
  | { kind: 'character'; test: CharacterTest }
  | { kind: 'fork'; to: [number, number] }
  | { kind: 'jump'; to: number }
  | { kind: 'place'; holds: PlaceTest }
  | { kind: 'match' };

/**
 * A test for a regular expression from an untrusted author, in time linear in the text: states instead of backtracking (K. Thompson, 1968). Known:
 * literals, `.`, `[a-z]`, `[^…]`, `\d \w \s \b` and their opposites, `^ $`, `|`, groups, `* + ? {m,n}`, and `(?i)` in front; look-around and back
 * references are not. Looks at the first 20,000 characters. Throws Error with what is wrong and where.
 */
export function linearPattern(source: string): (text: string) => boolean {
  const ignoresCase = source.startsWith('(?i)');
  const steps = compile(parsePattern(ignoresCase ? source.slice(4) : source, ignoresCase));
  return (text) => matches(steps, Array.from(text.slice(0, MOST_CHARACTERS)));
}

/** What keeps a text from being a pattern; null when nothing does. */
export function linearPatternProblem(source: string): string | null {
  try {
    linearPattern(source);
    return null;
  } catch (error) {
    return errorMessage(error);
  }
}

function matches(steps: readonly Step[], text: readonly string[]): boolean {
  let current: number[] = [];
  for (let position = 0; position <= text.length; position++) {
    const reached = new Set<number>();
    // A match may begin anywhere.
    for (const state of [...current, 0]) follow(steps, state, text[position - 1], text[position], reached);
    const next: number[] = [];
    for (const state of reached) {
      const step = steps[state];
      if (step?.kind === 'match') return true;
      if (step?.kind === 'character' && position < text.length && step.test(text[position] ?? '')) next.push(state + 1);
    }
    current = next;
  }
  return false;
}

/** Adds every state that can be reached without reading a character. */
function follow(
  steps: readonly Step[],
  start: number,
  before: string | undefined,
  after: string | undefined,
  reached: Set<number>,
): void {
  const open = [start];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    if (reached.has(state)) continue;
    reached.add(state);
    const step = steps[state];
    if (step?.kind === 'jump') open.push(step.to);
    else if (step?.kind === 'fork') open.push(...step.to);
    else if (step?.kind === 'place' && step.holds(before, after)) open.push(state + 1);
  }
}

/** A step that another one will point past. */
type Fork = Extract<Step, { kind: 'fork' }>;

function compile(node: PatternNode): Step[] {
  const steps: Step[] = [];
  emit(steps, node);
  add(steps, { kind: 'match' });
  return steps;
}

function add<S extends Step>(steps: Step[], step: S): S {
  if (steps.length >= MOST_STEPS) throw new Error(`it has more than ${MOST_STEPS} steps`);
  steps.push(step);
  return step;
}

/** A fork whose first way is the next step; the second way is filled in later. */
function addFork(steps: Step[]): Fork {
  return add(steps, { kind: 'fork', to: [steps.length + 1, 0] });
}

function emit(steps: Step[], node: PatternNode): void {
  if (node.kind === 'character' || node.kind === 'place') add(steps, node);
  else if (node.kind === 'sequence') for (const part of node.parts) emit(steps, part);
  else if (node.kind === 'choice') emitChoice(steps, node.options);
  else emitRepeat(steps, node);
}

function emitChoice(steps: Step[], options: readonly PatternNode[]): void {
  const ends = options.map((option, index) => {
    if (index === options.length - 1) {
      emit(steps, option);
      return null;
    }
    const fork = addFork(steps);
    emit(steps, option);
    const end = add(steps, { kind: 'jump', to: 0 });
    fork.to[1] = steps.length;
    return end;
  });
  for (const end of ends) if (end !== null) end.to = steps.length;
}

function emitRepeat(steps: Step[], { part, least, most }: Extract<PatternNode, { kind: 'repeat' }>): void {
  for (let time = 0; time < least; time++) emit(steps, part);
  if (most === Number.POSITIVE_INFINITY) {
    const start = steps.length;
    const fork = addFork(steps);
    emit(steps, part);
    add(steps, { kind: 'jump', to: start });
    fork.to[1] = steps.length;
    return;
  }
  const forks: Fork[] = [];
  for (let time = least; time < most; time++) {
    forks.push(addFork(steps));
    emit(steps, part);
  }
  for (const fork of forks) fork.to[1] = steps.length;
}
