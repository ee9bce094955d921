import { seededRandom, seedFrom } from '../../../base/random.ts';
import { harnessFromFiles } from '../../../harness/parse-harness.ts';
import { functionCallVerifier } from '../../../task/function-call-verifier.ts';
import type { ToolCall } from '../../../trajectory/trajectory.ts';
import { chooseTool, fitArguments } from '../actor/choose-tool.ts';
import type { Move } from '../actor/move.ts';
import { USUAL_HABITS } from '../actor/scripted-actor.ts';
import type { SeenRequest } from '../actor/seen-request.ts';
import { DESK_FILES } from './desk-harness.ts';
import type { LabScenario } from './lab-scenario.ts';
import { labTask } from './lab-task.ts';

type Values = Record<string, string | number>;

/** One kind of request: how it is worded, which function answers it, and with what. */
interface Service {
  tool: string;
  text(values: Values): string;
  pattern: RegExp;
  /** Names of the pattern's groups, in order. */
  names: readonly string[];
  draw(random: { below(bound: number): number }): Values;
}

const CITIES = 'Kassel Bremen Lund Porto Graz Turin Ghent Basel'.split(' ');

const city = (random: { below(bound: number): number }) => CITIES[random.below(CITIES.length)] as string;

const SERVICES: readonly Service[] = [
  {
    tool: 'travel_distance',
    text: ({ origin, destination, unit }) => `how far by road in ${unit} it is from ${origin} to ${destination}`,
    pattern: /how far by road in (kilometre|mile) it is from (\w+) to (\w+)/,
    names: ['unit', 'origin', 'destination'],
    draw: (random) => ({
      unit: ['kilometre', 'mile'][random.below(2)] as string,
      origin: city(random),
      destination: city(random),
    }),
  },
  {
    tool: 'travel_train',
    text: ({ origin, destination, hour }) =>
      `which train departs from ${origin} to ${destination} at ${hour} in the afternoon`,
    pattern: /which train departs from (\w+) to (\w+) at (\d+) in the afternoon/,
    names: ['origin', 'destination', 'hour'],
    draw: (random) => ({ origin: city(random), destination: city(random), hour: 1 + random.below(10) }),
  },
  {
    tool: 'travel_room',
    text: ({ city: place, nights, class: level }) => `for a ${level} hotel room in ${place} for ${nights} nights`,
    pattern: /for a (standard|deluxe|economy) hotel room in (\w+) for (\d+) nights/,
    names: ['class', 'city', 'nights'],
    draw: (random) => ({
      class: ['standard', 'deluxe', 'economy'][random.below(3)] as string,
      city: city(random),
      nights: 2 + random.below(9),
    }),
  },
  {
    tool: 'money_loan',
    text: ({ principal, rate, years }) =>
      `what the monthly payment is on a loan of ${principal} at ${rate} percent over ${years} years`,
    pattern: /what the monthly payment is on a loan of (\d+) at (\d+) percent over (\d+) years/,
    names: ['principal', 'rate', 'years'],
    draw: (random) => ({
      principal: 1000 * (2 + random.below(60)),
      rate: 2 + random.below(7),
      years: 5 + random.below(20),
    }),
  },
  {
    tool: 'money_exchange',
    text: ({ amount, source, target }) =>
      `what ${amount} ${source} are worth in ${target} after the currency conversion`,
    pattern: /what (\d+) ([A-Z]{3}) are worth in ([A-Z]{3}) after the currency conversion/,
    names: ['amount', 'source', 'target'],
    draw: (random) => ({
      amount: 20 + random.below(900),
      source: ['EUR', 'USD'][random.below(2)] as string,
      target: ['CHF', 'SEK'][random.below(2)] as string,
    }),
  },
];

/** What a routine changes in the values before they are passed. */
function prepared(seen: SeenRequest, values: Values): Values {
  const says = (pattern: RegExp) => seen.lines.find((line) => pattern.test(line));
  const hour = says(/afternoon hour/i);
  const rate = says(/percent are passed/i);
  const added = Number(/add (\d+)/.exec(hour ?? '')?.[1] ?? 0);
  const divisor = Number(/divide by (\d+)/.exec(rate ?? '')?.[1] ?? 1);
  return {
    ...values,
    ...(typeof values.hour === 'number' ? { hour: values.hour + added } : {}),
    ...(typeof values.rate === 'number' ? { rate: values.rate / divisor } : {}),
  };
}

interface Wish {
  service: Service;
  words: string;
  values: Values;
}

/** What is asked for, in the order in which it is asked. */
function wishesIn(problem: string): Wish[] {
  return SERVICES.flatMap((service) => {
    const match = service.pattern.exec(problem);
    if (match === null) return [];
    const entries = service.names.map((name, at): [string, string | number] => {
      const text = match[at + 1] ?? '';
      return [name, /^\d+$/.test(text) ? Number(text) : text];
    });
    return [{ service, words: match[0], values: Object.fromEntries(entries), at: match.index }];
  }).sort((left, right) => left.at - right.at);
}

function decide(seen: SeenRequest, problem: string): Move {
  const wishes = wishesIn(problem);
  const last = seen.exchanges.at(-1);
  if (last !== undefined && !last.isError && last.answer !== '') return { kind: 'answer', value: 'done' };
  if (seen.offers.length === 0) return { kind: 'lost', text: 'I would look this up if I had a service for it.' };
  const calls = wishes.map((wish) => callOf(seen, wish));
  const isEach = seen.lines.some((line) => /one call for each|, then \w+ \{/i.test(line)) || shownTogether(seen);
  return { kind: 'calls', calls: isEach ? calls : calls.slice(0, 1), guess: 'nothing that I know by heart' };
}

/** Worked examples with two calls teach to make two. */
function shownTogether({ examples }: SeenRequest): boolean {
  return examples.some(({ turns }) => turns.filter((turn) => turn.includes('"arguments"')).length > 1);
}

function callOf(seen: SeenRequest, { words, values }: Wish): ToolCall {
  const tool = chooseTool(seen, words);
  if (tool === null) return { tool: 'search', arguments: {} };
  const isMisread = seen.nature('misread') < USUAL_HABITS.misreadRate && seen.chance('misread again') < 0.9;
  const meant = isMisread ? changed(values) : values;
  return { tool: tool.name, arguments: fitArguments(tool, prepared(seen, meant)) };
}

/** Takes one value for another. */
function changed(values: Values): Values {
  const [name = '', value] = Object.entries(values).at(-1) ?? [];
  return { ...values, [name]: typeof value === 'number' ? value + 1 : CITIES[0] === value ? 'Lund' : 'Kassel' };
}

function goldOf(service: Service, values: Values): ToolCall {
  const hour = typeof values.hour === 'number' ? { hour: values.hour + 12 } : {};
  const rate = typeof values.rate === 'number' ? { rate: values.rate / 100 } : {};
  return { tool: service.tool, arguments: { ...values, ...hour, ...rate } };
}

const PROBLEM = /Please (find out|ask) .+\./;

/** Many functions, JSON calls, the calls themselves are the answer. */
export const desk: LabScenario = {
  name: 'desk',
  harness: harnessFromFiles(new Map(Object.entries(DESK_FILES))),
  verifier: functionCallVerifier(),
  mind: {
    understands: (text) => {
      const found = PROBLEM.exec(text)?.[0];
      return found !== undefined && wishesIn(found).length > 0 ? found : null;
    },
    decide,
  },
  task: (index) => {
    const random = seededRandom(seedFrom('desk', index));
    const first = index % SERVICES.length;
    const isDouble = random.below(3) === 0;
    const chosen = [first, ...(isDouble ? [(first + 1 + random.below(SERVICES.length - 1)) % SERVICES.length] : [])];
    const wishes = chosen.map((at) => {
      const service = SERVICES[at] as Service;
      return { service, values: service.draw(random) };
    });
    const calls = wishes.map(({ service, values }) => goldOf(service, values));
    return labTask({
      id: `desk-${index}`,
      problem: `Please find out ${wishes.map(({ service, values }) => service.text(values)).join(', and ')}.`,
      answer: calls.map((call) => ({
        [call.tool]: Object.fromEntries(
          Object.entries(call.arguments).map(([name, value]) => [name, [value as string]]),
        ),
      })),
      reference: { calls },
    });
  },
};
