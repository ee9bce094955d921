import type { OfferedTool, SeenRequest } from './seen-request.ts';

/** The offer whose name and description share most words with what is wanted; equals are drawn by the problem. Null without offers. */
export function chooseTool(seen: SeenRequest, wanted: string): OfferedTool | null {
  const words = wordsOf(wanted);
  const scored = seen.offers.map((offer) => ({
    offer,
    score: wordsOf(`${offer.name} ${offer.description}`).intersection(words).size,
  }));
  const best = Math.max(...scored.map(({ score }) => score));
  const equals = scored.filter(({ score }) => score === best);
  return equals[Math.floor(seen.nature('equal tools') * equals.length)]?.offer ?? null;
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/\p{L}{3,}/gu) ?? []);
}

/**
 * Arguments for values by name, obeying the schema: only described arguments, values in the type and among the values it allows. What has
 * no place under its own name goes, in order, into what is left.
 */
export function fitArguments(
  offer: OfferedTool,
  values: Readonly<Record<string, string | number>>,
): Record<string, unknown> {
  const names = Object.keys(offer.properties);
  const homeless = Object.keys(values).filter((name) => !names.includes(name));
  const fitted: Record<string, unknown> = {};
  for (const name of names) {
    const source = Object.hasOwn(values, name) ? name : homeless.shift();
    if (source !== undefined) fitted[name] = inType(values[source] as string | number, offer.properties[name] ?? {});
  }
  return fitted;
}

function inType(value: string | number, schema: OfferedTool['properties'][string]): unknown {
  if (Array.isArray(schema.enum)) return allowed(String(value), schema.enum.map(String));
  if (schema.type === 'string') return String(value);
  if (schema.type !== 'integer' && schema.type !== 'number') return value;
  const number = typeof value === 'number' ? value : Number(/-?\d+(\.\d+)?/.exec(value)?.[0] ?? 0);
  return schema.type === 'integer' ? Math.round(number) : number;
}

function allowed(value: string, choices: readonly string[]): string {
  const same = choices.find((choice) => choice.toLowerCase() === value.toLowerCase());
  const alike = choices.find((choice) => choice[0]?.toLowerCase() === value[0]?.toLowerCase());
  return same ?? alike ?? choices[0] ?? value;
}
