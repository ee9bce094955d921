import type { PatchEdit } from '../harness/patch-edit.ts';
import { pairedPermutationTest } from '../statistics/paired-permutation-test.ts';
import { mean } from '../statistics/summary.ts';
import type { ReplayUsage } from './replay-backend.ts';
import type { ReplayCase } from './replay-case.ts';
import { type ArmScores, patchedHarnesses, type ReplaySetting, runArms } from './run-arms.ts';

/**
 * `confirmed`: the patch repairs more of the cluster than its placebo. `refuted`: it does not. `dead`: it changes nothing in any of the rollouts.
 * `too-few`: so few groups that no outcome could have confirmed anything. `elsewhere`: it does not, but a supplied correction does: another component,
 * or the agent.
 */
export type ReplayVerdict = 'confirmed' | 'refuted' | 'dead' | 'too-few' | 'elsewhere';

export interface ReplayResult {
  verdict: ReplayVerdict;
  /** One-sided, of no difference to the placebo; 1 where nothing was compared. */
  pValue: number;
  cases: number;
  /** Independent groups of tasks among the cases. */
  groups: number;
  /** Mean scores, null where the arm was not run. */
  means: { patch: number | null; placebo: number | null; observation: number | null; action: number | null };
  usage: ReplayUsage;
  explanation: string;
}

export interface ReplayOptions {
  /** Error allowed to this one comparison. */
  alpha: number;
  /**
   * What the patch is compared with. `placebo`: re-runs from the same event under an edit without meaning. `record`: the failures as they were; kept to show
   * how many causes this confirms that resampling alone would have cured.
   */
  against: 'placebo' | 'record';
}

/** Per cluster and not per rollout; paired by case, one difference a group. Source: method §4.4, paired sign-flip test as in the gate's `permutation` rule. */
export async function replayCause(
  cases: readonly ReplayCase[],
  edits: readonly PatchEdit[],
  setting: ReplaySetting,
  { alpha, against }: ReplayOptions,
): Promise<ReplayResult> {
  const usage: ReplayUsage = { modelCalls: 0, promptTokens: 0, completionTokens: 0 };
  const arms: ArmScores[] = [];
  const groups = new Set(cases.map(({ trajectory }) => trajectory.group)).size;
  if (2 ** -groups > alpha) return result('too-few', [], groups, 1, usage);
  const harnesses = patchedHarnesses(setting.harness, edits);
  const settled = await Promise.allSettled(cases.map((one) => runArms(one, harnesses, setting, usage)));
  // Every re-run ends before an abort is passed on, so that nothing runs on behind the caller's back.
  for (const [index, run] of settled.entries()) {
    if (run.status === 'rejected') throw run.reason;
    const { group } = (cases[index] as ReplayCase).trajectory;
    arms.push(run.value ?? { group, patch: 0, placebo: 0, observation: null, action: null });
  }
  if (usage.modelCalls === 0 && arms.every(({ patch, placebo }) => patch === placebo)) {
    return result('dead', arms, groups, 1, usage);
  }
  const pValue = pairedTest(arms, (scores) => difference(scores.patch, against === 'record' ? 0 : scores.placebo));
  if (pValue <= alpha) return result('confirmed', arms, groups, pValue, usage);
  const corrected = ['observation', 'action'] as const;
  const helps = corrected.some((arm) => pairedTest(arms, (scores) => difference(scores[arm], scores.placebo)) <= alpha);
  return result(helps ? 'elsewhere' : 'refuted', arms, groups, pValue, usage);
}

function difference(left: number | null, right: number | null): number | null {
  return left === null || right === null ? null : left - right;
}

function pairedTest(arms: readonly ArmScores[], ofCase: (scores: ArmScores) => number | null): number {
  const groups = Map.groupBy(arms, ({ group }) => group);
  const differences = [...groups.values()].flatMap((members) => {
    const known = members.map(ofCase).filter((value) => value !== null);
    return mean(known) ?? [];
  });
  return pairedPermutationTest(differences);
}

function result(
  verdict: ReplayVerdict,
  arms: readonly ArmScores[],
  groups: number,
  pValue: number,
  usage: ReplayUsage,
): ReplayResult {
  const of = (arm: 'patch' | 'placebo' | 'observation' | 'action') =>
    mean(arms.map((scores) => scores[arm]).filter((score) => score !== null)) ?? null;
  const means = { patch: of('patch'), placebo: of('placebo'), observation: of('observation'), action: of('action') };
  return {
    verdict,
    pValue,
    cases: arms.length,
    groups,
    means,
    usage,
    explanation: EXPLANATIONS[verdict](means, pValue),
  };
}

const EXPLANATIONS: Readonly<Record<ReplayVerdict, (means: ReplayResult['means'], pValue: number) => string>> = {
  confirmed: (means, p) => `${comparison(means)}: the patch repairs more than chance does (p = ${p.toPrecision(2)}).`,
  refuted: (means, p) => `${comparison(means)}: no more than chance does (p = ${p.toPrecision(2)}).`,
  elsewhere: (means, p) =>
    `${comparison(means)} (p = ${p.toPrecision(2)}), but a correction helps (observation ${share(means.observation)}, action ${share(means.action)}): another component, or the agent.`,
  dead: () => 'The patch changes nothing in the rollouts it is meant for.',
  'too-few': () => 'Too few groups of tasks: no outcome could confirm a cause.',
};

function comparison({ patch, placebo }: ReplayResult['means']): string {
  return `Re-runs end well in ${share(patch)} under the patch and in ${share(placebo)} under its placebo`;
}

function share(value: number | null): string {
  return value === null ? 'none' : `${Math.round(value * 100)}%`;
}
