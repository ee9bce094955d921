import type { CaseStep } from '../cases/case.ts';
import type { FactTool } from '../harness-facts/harness-facts.ts';
import { propertiesOf } from '../harness-facts/schema-members.ts';
import { type CaseRule, type Clue, callsBefore, describedTool, quoteOf, stepsOf } from './case-rule.ts';
import { onlyFitting } from './fitting-repair.ts';

/** Units of one quantity, each in its usual spellings: who promises one and gives another misleads. */
const UNITS: readonly (readonly RegExp[])[] = [
  [/\b(celsius|°\s?c|c)\b/i, /\b(fahrenheit|°\s?f|f)\b/i, /\bkelvin\b/i],
  [/\b(kilomet(er|re)s?|km)\b/i, /\b(miles?|mi)\b/i],
  [/\b(met(er|re)s?|m)\b/i, /\b(feet|foot|ft)\b/i, /\b(cm|centimet(er|re)s?)\b/i, /\b(inch(es)?|in)\b/i],
  [/\b(kilograms?|kg)\b/i, /\b(pounds?|lbs?)\b/i, /\b(grams?|g)\b/i],
  [/\b(milliseconds?|ms)\b/i, /\b(seconds?|secs?|s)\b/i, /\b(minutes?|mins?)\b/i, /\b(hours?|hrs?|h)\b/i],
  [/\b(dollars?|usd)\b/i, /\b(euros?|eur)\b/i, /\b(cents?)\b/i, /\b(gbp|sterling)\b/i, /\b(yen|jpy)\b/i],
  [/\butc\b/i, /\blocal time\b/i],
];
const MORE =
  /"?\b(next_?page|has_?more|next_?cursor|next_?token|continuation|total_?pages|next)"?\s*[:=]\s*("?[\w-]+"?)|\bpage 1 of ([2-9]|\d{2,})\b|\bshowing (the )?(first )?\d+ (of|out of) \d+\b|\b\d+ more (results?|items?|rows?|entries)\b/i;
const PAGING = /page|offset|cursor|limit|start|skip|token|from|after|count|size|top|max/i;

/** What a back end gives, held against what is said of the tool: another unit, or one page of several without an argument for the next. */
export const unlikeDescription: CaseRule = {
  name: 'unlike-description',
  clues: (view) =>
    view.facts.tools.flatMap((tool) => {
      const results = view.failing.flatMap((run) =>
        stepsOf(run, 'tool').filter((step) => callsBefore(run, step).some((call) => call.tool === tool.name)),
      );
      return [...otherUnit(tool, results, view.harness), ...unreachablePages(tool, results, view.harness)];
    }),
};

function toolClue(
  tool: FactTool,
  clue: Pick<Clue, 'mechanism' | 'explanation' | 'weight' | 'evidence' | 'repair'>,
): Clue {
  return { label: 'tool_schema_error', component: 'tool', path: tool.descriptionPath, ...clue };
}

function otherUnit(tool: FactTool, results: readonly CaseStep[], harness: unknown): Clue[] {
  for (const group of UNITS) {
    const promised = group.filter((unit) => unit.test(tool.description));
    if (promised.length !== 1) continue;
    // A letter alone is a unit only where a number or a key `unit` says so.
    const odd = results.find(({ content }) => {
      const named = [...content.matchAll(/(?:\d\s?|\bunits?"?\s*[:=]\s*"?)(°?\s?[A-Za-z]+)\b/g)].map(
        ([, unit]) => unit ?? '',
      );
      const given = named.flatMap((unit) => group.filter((other) => other.test(unit)));
      return given.length > 0 && given.every((unit) => unit !== promised[0]);
    });
    if (odd === undefined) continue;
    return [
      toolClue(tool, {
        mechanism: 'unit-unlike-description',
        explanation: `The description of ${tool.name} promises another unit than its results have.`,
        weight: 2.6,
        evidence: [quoteOf(odd.event, odd.content)],
        repair: describedTool(tool, `Returns: ${odd.content.slice(0, 80)}`, harness),
      }),
    ];
  }
  return [];
}

function unreachablePages(tool: FactTool, results: readonly CaseStep[], harness: unknown): Clue[] {
  const names = Object.keys(propertiesOf(tool.parameters));
  if (tool.parameters === null || names.some((name) => PAGING.test(name))) return [];
  const first = results.find(({ content }) => {
    const match = MORE.exec(content);
    return match !== null && !/^"?(null|none|false|0|1)"?$/i.test(match[2] ?? '');
  });
  if (first === undefined) return [];
  return [
    toolClue(tool, {
      mechanism: 'pages-out-of-reach',
      explanation: `${tool.name} gives one page of several, and its schema has no argument for the next.`,
      weight: 2.4,
      evidence: [quoteOf(first.event, first.content)],
      repair: onlyFitting(
        [{ path: `${tool.parametersPath}/properties/page`, old: null, new: { type: 'integer' } }],
        harness,
      ),
    }),
  ];
}
