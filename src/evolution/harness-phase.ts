import { percent } from '../base/share-text.ts';
import type { Diagnosis } from '../critic/attribution.ts';
import { fewestGroups } from '../gate/plan-gate.ts';
import type { Harness } from '../harness/harness.ts';
import { aggregate } from '../patch/aggregate.ts';
import { pairHash, type Version } from '../registry/version.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { auditChange } from './audit-change.ts';
import { diagnoseFailures } from './diagnose-failures.ts';
import { drawTrainTasks } from './draw-tasks.ts';
import { alphaOfNextDecision, bestHarnessGate, mostGateGroups } from './error-shares.ts';
import { gatePatch } from './gate-pair.ts';
import { secondsPerRollout } from './pair-rates.ts';
import { proposeCandidates } from './propose-candidates.ts';
import { countCorrect, remember, rollOut } from './roll-out.ts';
import type { RunContext } from './run-context.ts';
import { screenPatches } from './screen-patches.ts';
import { phaseSeconds, planOnce, rolloutsFor } from './size-plan.ts';
import { causeStands } from './verify-cause.ts';

/** Iterations in a row without an accepted diff after which the phase ends; one is enough where nothing is left to cure. */
const PATIENCE = 2;

/** Harness loop of one round (method §2 A): θ stays, φ changes by local diffs that pass the gate. */
export async function evolveHarness(context: RunContext, start: Version, round: number): Promise<Version> {
  context.emit({
    type: 'phase-started',
    seed: context.seed,
    round,
    phase: 'harness',
    detail: `from v${start.version}`,
  });
  let champion = start;
  let idle = 0;
  for (let iteration = 1; iteration <= context.config.iterations && idle < PATIENCE; iteration++) {
    if (await isErrorSpent(context, round)) break;
    const harness = await context.registry.harness(champion.pair.harness);
    const each = secondsPerRollout(context, harness, champion.pair.model);
    const sizes = await planIteration(context, round, iteration, each);
    if (sizes.miningTasks === 0) break;
    const mined = await collectRollouts(context, champion, harness, round, iteration, sizes.miningTasks);
    const diagnoses = await diagnoseFailures(context, mined, harness, round);
    tellCauses(context, diagnoses, round);
    const isCured = (round > 1 || iteration > 1) && (await isExhausted(context, mined, diagnoses, round));
    if (isCured && context.config.only === null) break;
    const inVain = isCured ? PATIENCE : 1;
    const causes = isCured ? [] : diagnoses;
    const candidates = await proposeCandidates(context, champion, harness, causes, round, iteration);
    const best = await screenPatches(context, {
      champion,
      harness,
      candidates,
      round,
      iteration,
      seconds: sizes.seconds * SCREENING_SHARE,
      mined: countCorrect(mined),
    });
    const order = { champion, harness, mined, diagnoses, round, iteration };
    if (best === null || !(await causeStands(context, { ...order, patch: best }))) {
      idle += inVain;
      continue;
    }
    const decided = await gatePatch(context, {
      champion,
      harness,
      patch: best,
      round,
      candidates: candidates.length,
      seconds: sizes.seconds * GATE_SHARE,
    });
    const before = champion;
    if (decided.accepted) champion = await auditChange(context, decided, round);
    idle = pairHash(champion.pair) === pairHash(before.pair) ? idle + inVain : 0;
  }
  return champion;
}

function tellCauses(context: RunContext, diagnoses: readonly Diagnosis[], round: number): void {
  const clusters = aggregate(diagnoses).map(({ label, mechanism, count }) => ({ label, mechanism, count }));
  const { length: failures } = diagnoses;
  context.emit({ type: 'failures-diagnosed', seed: context.seed, round, failures, clusters });
}

/** Every decision in vain leaves the next one less error: before anything is mined, whether a diff could be accepted at all. */
async function isErrorSpent(context: RunContext, round: number): Promise<boolean> {
  const needed = fewestGroups(context.config.gate.rule, await alphaOfNextDecision(context, 'harness'));
  const groups = mostGateGroups(context);
  if (groups >= needed) return false;
  const text = `harness phase ends: the error left to the next diff asks for ${needed} gate groups, there are ${groups}`;
  context.emit({ type: 'notice', seed: context.seed, round, text });
  return true;
}

/**
 * What curing could still win is bounded by the failures that φ caused. Where a gate over all gate tasks could not see even that, the rest of the time does
 * more for the weights; without a training it goes to what no failure asks for, savings and votes.
 */
async function isExhausted(
  context: RunContext,
  mined: readonly Trajectory[],
  diagnoses: readonly Diagnosis[],
  round: number,
): Promise<boolean> {
  const { scored } = countCorrect(mined);
  const caused = diagnoses.filter(({ label }) => label !== 'agent_error').length;
  const { minimumDetectableEffect: visible } = await bestHarnessGate(context);
  if (scored === 0 || caused / scored >= visible) return false;
  const why =
    `${caused} of ${scored} rollouts (${percent(caused / scored)}) fail for a cause in the harness, the gate could ` +
    `see ${percent(visible)}; the rest is the model's own`;
  const text =
    context.config.only === null
      ? `harness phase exhausted: ${why}`
      : `nothing left to cure: ${why}. What saves, or buys, is tried`;
  context.emit({ type: 'notice', seed: context.seed, round, text });
  return true;
}

/** Share of what is left of the phase that an iteration gets: the first ones change most. */
const EARLY_SHARE = 0.5;

/** Shares of an iteration's time. */
const MINING_SHARE = 0.15;
const SCREENING_SHARE = 0.45;
const GATE_SHARE = 0.4;

/** What the shortest iteration rolls out before its gate, which would outlast the run's time by much where there is no room for these. */
const FEWEST_ROLLOUTS = 100;

/**
 * Time of one iteration and the tasks it mines, given the seconds that each rollout of the champion takes; 0 tasks when too little time is left to be worth it. The very
 * first iteration takes what it needs.
 */
async function planIteration(context: RunContext, round: number, iteration: number, each: number) {
  const { sizes, iterations } = context.config;
  const plan = await planOnce(context, { phase: 'harness', round, iteration }, () => {
    const left = phaseSeconds(context, round, 'harness');
    const seconds = iteration === iterations ? left : left * EARLY_SHARE;
    const isFirst = round === 1 && iteration === 1;
    const enough = isFirst || seconds / each > FEWEST_ROLLOUTS;
    const most = Math.min(MOST_MINING_TASKS, context.splits.train.length);
    const miningTasks = sizes.miningTasks ?? rolloutsFor(context, seconds * MINING_SHARE, 24, most, each);
    return { seconds: Math.round(seconds), miningTasks: enough ? miningTasks : 0 };
  });
  const line =
    plan.miningTasks === 0
      ? `no iteration ${iteration}: about ${plan.seconds} s are left for it, which is too little`
      : `iteration ${iteration}: about ${plan.seconds} s, ${plan.miningTasks} tasks for failures, ${sizes.candidates} candidates`;
  context.emit({ type: 'plan-made', seed: context.seed, round, phase: 'harness', lines: [line] });
  return plan;
}

const MOST_MINING_TASKS = 200;

async function collectRollouts(
  context: RunContext,
  champion: Version,
  harness: Harness,
  round: number,
  iteration: number,
  count: number,
): Promise<Trajectory[]> {
  const [trajectories = []] = await rollOut(context, { round, step: 'collecting failures' }, [
    {
      harness,
      model: champion.pair.model,
      tasks: drawTrainTasks(context, harness, `mining ${round} ${iteration}`, count),
      split: 'train',
      repeats: 1,
      sampling: null,
      seedStream: `mining ${round} ${iteration}`,
    },
  ]);
  remember(context, trajectories);
  const { correct, scored } = countCorrect(trajectories);
  context.emit({
    type: 'step-finished',
    seed: context.seed,
    round,
    step: 'collecting failures',
    detail: `${correct} of ${scored} solved by v${champion.version}`,
  });
  return trajectories;
}
