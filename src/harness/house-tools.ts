import type { Harness, HarnessTool } from './harness.ts';

/** Back ends by which the model acts on memory and skills. Their values are never an answer. */
export const HOUSE_BACKENDS = ['load_skill', 'note'] as const;
export type HouseBackend = (typeof HOUSE_BACKENDS)[number];

/** Whether a tool belongs to the loop itself, so that what it gives is no value of the task. */
export function houseBackend({ backend }: HarnessTool): HouseBackend | null {
  return backend.kind === 'builtin' ? (HOUSE_BACKENDS.find((name) => name === backend.name) ?? null) : null;
}

const offers = new WeakMap<object, readonly HarnessTool[]>();

/**
 * φ's tools and, after them, those that its skills and memory need and that it does not describe itself: a tool of its own with back end
 * `{kind: builtin, name: load_skill | note}` takes their place. The same harness gives the same array.
 */
export function toolsOfHarness(harness: Pick<Harness, 'tools' | 'skills' | 'memory'>): readonly HarnessTool[] {
  const known = offers.get(harness);
  if (known !== undefined) return known;
  const own = new Set(harness.tools.map(houseBackend));
  const needed: [HouseBackend, boolean][] = [
    ['load_skill', harness.skills.some(({ load }) => load === 'call')],
    ['note', harness.memory.notes.tokens > 0],
  ];
  const added = needed.filter(([name, isNeeded]) => isNeeded && !own.has(name)).map(([name]) => DEFINITIONS[name]);
  const tools = added.length === 0 ? harness.tools : [...harness.tools, ...added];
  offers.set(harness, tools);
  return tools;
}

const DEFINITIONS: Readonly<Record<HouseBackend, HarnessTool>> = {
  load_skill: houseTool('load_skill', 'Shows the instructions of a skill.', 'name', 'Name of the skill'),
  note: houseTool('note', 'Keeps a fact for later turns.', 'text', 'The fact, in one sentence'),
};

function houseTool(name: HouseBackend, description: string, argument: string, meaning: string): HarnessTool {
  return {
    name,
    description,
    parameters: {
      type: 'object',
      properties: { [argument]: { type: 'string', description: meaning } },
      required: [argument],
      additionalProperties: false,
    },
    backend: { kind: 'builtin', name },
    limits: { wallMs: 10_000, outputCharacters: 20_000 },
  };
}
