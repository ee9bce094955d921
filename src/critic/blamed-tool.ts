import type { Harness, HarnessTool } from '../harness/harness.ts';
import { incompleteBeta } from '../statistics/mean-test.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { eventsOf } from './event-evidence.ts';
import { propertiesOf } from './harness-facts/schema-members.ts';

/** Failures below which nothing is said to be shared. */
export const FEWEST_FAILURES = 3;
/** Of the rollouts that are about the tool, the share that must fail. */
const LEAST_FAILING = 0.5;
/** Chance that so many failures would have something in common by accident, over all that was looked at. */
export const MOST_CHANCE = 0.05;

export interface BlamedTool {
  tool: HarnessTool;
  /** The argument that most of these verdicts name; null where they name none, or several alike. */
  argument: string | null;
  failing: ReadonlySet<Trajectory>;
  /** Successes that call the tool. */
  passing: number;
}

/**
 * A tool of φ that verdicts name too often for chance: a verifier that compares calls says of each failure which tool it missed, and a model that errs by itself errs
 * here and there. Tested by the binomial tail with equal chances, corrected for the number of tools; null with fewer than two tools, or where the rollouts about
 * this one mostly pass.
 */
export function blamedTool(
  failures: readonly Trajectory[],
  successes: readonly Trajectory[],
  { tools }: Harness,
): BlamedTool | null {
  if (tools.length < 2) return null;
  const named = Map.groupBy(failures, (failure) => namedTool(failure, tools));
  named.delete(null);
  const blamed = [...named].flatMap(([tool, failing]) => {
    if (tool === null || groupsOf(failing) < FEWEST_FAILURES) return [];
    const passing = successes.filter((success) => isAbout(success, tool)).length;
    if (failing.length < LEAST_FAILING * (failing.length + passing)) return [];
    const chance = tools.length * binomialTail(groupsOf(failing), groupsOf(failures), 1 / tools.length);
    return chance > MOST_CHANCE ? [] : [{ tool, failing, passing, chance }];
  });
  const [best] = blamed.sort((a, b) => a.chance - b.chance);
  if (best === undefined) return null;
  const { tool, failing, passing } = best;
  return { tool, failing: new Set(failing), passing, argument: namedArgument(failing, tool) };
}

/** Rollouts of one group share their fate: each group counts once. */
function groupsOf(rollouts: readonly Trajectory[]): number {
  return new Set(rollouts.map(({ group }) => group)).size;
}

/** P(X ≥ hits) for X ~ Binomial(draws, chance), by the incomplete beta function. */
function binomialTail(hits: number, draws: number, chance: number): number {
  return incompleteBeta(chance, hits, draws - hits + 1);
}

/** The first tool that a verdict speaks of, as `NAME: …` or `NAME(…)`: a name may be an ordinary word, too. */
function namedTool({ outcome }: Trajectory, tools: readonly HarnessTool[]): HarnessTool | null {
  if (outcome.kind !== 'scored') return null;
  const places = tools
    .map((tool) => ({ tool, at: placeOf(outcome.why, tool.name, '\\s*[:(]') }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at || b.tool.name.length - a.tool.name.length);
  return places[0]?.tool ?? null;
}

function namedArgument(failing: readonly Trajectory[], tool: HarnessTool): string | null {
  const counts = Object.keys(propertiesOf(tool.parameters)).map((argument) => ({
    argument,
    count: failing.filter(({ outcome }) => outcome.kind === 'scored' && placeOf(outcome.why, argument) >= 0).length,
  }));
  const [most, next] = counts.filter(({ count }) => 2 * count > failing.length).sort((a, b) => b.count - a.count);
  // A verdict's own words can be names of arguments too: where two are named alike, neither is meant for sure.
  return most === undefined || most.count === next?.count ? null : most.argument;
}

function isAbout(trajectory: Trajectory, tool: HarnessTool): boolean {
  return eventsOf(trajectory, 'call-parsed').some(({ call }) => call.tool === tool.name);
}

/** Where a text holds a name as a word of its own, with `behind` (a pattern) behind it; −1 where it does not. */
function placeOf(text: string, name: string, behind = ''): number {
  return text.search(new RegExp(`(?<![\\w.-])${RegExp.escape(name)}(?![\\w-])${behind}`));
}
