import { isRecord } from '../../../base/is-record.ts';
import { jsonValue } from '../../../base/json.ts';
import { seedFrom } from '../../../base/random.ts';
import type { ChatMessage, GenerationRequest } from '../../../model/model-backend.ts';
import { balancedObjects } from '../../../rollout/balanced-objects.ts';
import { type CallForm, formIn } from './call-form.ts';

export interface OfferedTool {
  name: string;
  description: string;
  properties: Readonly<Record<string, { type?: unknown; enum?: unknown; description?: unknown }>>;
  required: readonly string[];
}

/** A turn of the actor in this rollout and what answered it. */
export interface Exchange {
  turn: string;
  answer: string;
  isError: boolean;
}

/** A worked example: the turns of the assistant in it. */
export interface ShownExample {
  problem: string;
  turns: readonly string[];
  answers: readonly string[];
}

/** Everything the actor goes by: what stands in the request, sorted, and its luck, which depends on problem and seed alone. */
export interface SeenRequest {
  /** The task's text as far as the actor understands it; null when no task is to be seen. */
  problem: string | null;
  offers: readonly OfferedTool[];
  form: CallForm | null;
  /** Instructions and routines, one a line, without the lists of tools. */
  lines: readonly string[];
  examples: readonly ShownExample[];
  exchanges: readonly Exchange[];
  /** The last turn asks for a final text and no call. */
  mustAnswer: boolean;
  /** In [0, 1): of the problem alone. */
  nature(salt: string): number;
  /** In [0, 1): of problem and seed where the request samples, of the problem alone where it is greedy. */
  chance(salt: string): number;
}

/**
 * Sorts a request. `understands` gives the part of a message that is a task for this actor. Nothing else than the request is read: what is not in it
 * does not exist.
 */
export function seenRequest(request: GenerationRequest, understands: (text: string) => string | null): SeenRequest {
  const { messages } = request;
  const at = messages.findLastIndex(({ role, content }) => role === 'user' && understands(content) !== null);
  const problem = understands(messages[at]?.content ?? '');
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const instructions = [...system, withoutProblem(messages[at]?.content ?? '', problem)].join('\n');
  const offers = [...offeredIn(system.join('\n')), ...offeredIn(withoutProblem(messages[at]?.content ?? '', problem))];
  const names = offers.map(({ name }) => name);
  const examples = at === -1 ? [] : examplesIn(messages.slice(0, at), understands);
  const history = at === -1 ? [] : messages.slice(at + 1);
  const draw = (salt: string, seed: number) => (seedFrom(problem ?? '', salt, seed) % 10_000) / 10_000;
  const nature = (salt: string) => draw(salt, 0);
  const shownForms = examples.flatMap(({ turns }) => formIn(turns[0] ?? '', names) ?? []);
  return {
    problem,
    offers,
    form: shownForms[0] ?? formIn(obeyed(instructions, nature).join('\n'), names),
    lines: obeyed(instructions, nature),
    examples,
    exchanges: exchangesIn(history),
    mustAnswer: /no more (tool )?calls|final answer now/i.test(messages.at(-1)?.content ?? ''),
    nature,
    chance: (salt) => draw(salt, request.sampling.temperature === 0 ? 0 : request.seed),
  };
}

function withoutProblem(content: string, problem: string | null): string {
  return problem === null ? content : content.replace(problem, '');
}

/** Lines that count. A line that another one forbids holds for one half of the problems and does not exist for the other. */
function obeyed(text: string, nature: SeenRequest['nature']): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/"parameters"\s*:/.test(line));
  const forbidden = new Set(lines.flatMap((line) => /^Never do this: (.*)$/.exec(line.trim())?.[1] ?? []));
  return lines.filter((line) => {
    if (line.trim().startsWith('Never do this: ')) return false;
    return !forbidden.has(line.trim()) || nature(`conflict ${line}`) < 0.3;
  });
}

const known = new Map<string, OfferedTool[]>();
const MOST_KNOWN = 500;

/** Read once per text: requests of one harness share their instructions. */
function offeredIn(text: string): OfferedTool[] {
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size >= MOST_KNOWN) known.clear();
  const offers = readOffers(text);
  known.set(text, offers);
  return offers;
}

function readOffers(text: string): OfferedTool[] {
  return balancedObjects(text).flatMap(({ text: part }) => {
    const tool = toolOf(part);
    return tool === null ? [] : [tool];
  });
}

function toolOf(text: string): OfferedTool | null {
  const value = jsonValue(text);
  if (!isRecord(value) || typeof value.name !== 'string' || !isRecord(value.parameters)) return null;
  const { properties, required } = value.parameters;
  return {
    name: value.name,
    description: typeof value.description === 'string' ? value.description : '',
    properties: isRecord(properties) ? (properties as OfferedTool['properties']) : {},
    required: Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [],
  };
}

function examplesIn(messages: readonly ChatMessage[], understands: (text: string) => string | null): ShownExample[] {
  const examples: { problem: string; turns: string[]; answers: string[] }[] = [];
  for (const { role, content } of messages) {
    const problem = role === 'user' ? understands(content) : null;
    if (problem !== null) examples.push({ problem, turns: [], answers: [] });
    else if (role === 'assistant') examples.at(-1)?.turns.push(content);
    else if (role !== 'system') examples.at(-1)?.answers.push(content);
  }
  return examples;
}

function exchangesIn(history: readonly ChatMessage[]): Exchange[] {
  const exchanges: Exchange[] = [];
  for (const { role, content } of history) {
    if (role === 'assistant') exchanges.push({ turn: content, answer: '', isError: false });
    const last = exchanges.at(-1);
    if (role === 'assistant' || last === undefined) continue;
    exchanges[exchanges.length - 1] = { ...last, answer: content, isError: /\berror\b/i.test(content) };
  }
  return exchanges;
}
