import type { RunConfig } from './run-config.ts';
import { screeningHeats } from './screen-patches.ts';

/** Rollouts of one kind of step over a whole run with one seed, at most. */
export interface StepRollouts {
  step: 'failures' | 'screening' | 'gates' | 'audits' | 'samples' | 'sealed test';
  /** Null where a size is planned from the measured rate. */
  rollouts: number | null;
  /** How it was counted; a size that is planned from the measured rate is called `planned`. */
  formula: string;
}

/** Seed pair, and of each round its pair and both crossed ones. */
const pairsAtTheEnd = (rounds: number) => 1 + 3 * rounds;

/**
 * What a run with these sizes rolls out at most: every iteration proposes, gates and accepts, every gate goes to its end, nothing is shared. A real run
 * needs less: gates stop early, arms share the parent's rollouts, and phases end when nothing is left to win. `tasksPerGroup` is the
 * mean number of tasks in a gate group. Pure.
 */
export function rolloutsAhead(
  { rounds, iterations, only, sizes }: Pick<RunConfig, 'rounds' | 'iterations' | 'only' | 'sizes'>,
  tasksPerGroup: number,
): StepRollouts[] {
  const diffs = only === 'weights' ? 0 : rounds * iterations;
  const updates = only === 'harness' ? 0 : rounds;
  const { miningTasks, candidates, screeningTasks, gateGroups, sampleTasks, samplesPerTask, testTasks, testRepeats } =
    sizes;
  const auditGroups = sizes.auditGroups ?? gateGroups;
  const first = diffs + updates;
  // After each weight update every diff so far meets the champion without it, and what is left of them the references once more.
  const again = updates === 0 || diffs === 0 ? 0 : (iterations * rounds * (rounds + 1)) / 2;
  const restored = again === 0 ? 0 : updates;
  const samples = sampleTasks === null || samplesPerTask === null ? null : sampleTasks * samplesPerTask;
  const inGate = gateGroups === null ? null : Math.ceil(gateGroups * tasksPerGroup);
  const inAudit = auditGroups === null ? null : Math.ceil(auditGroups * tasksPerGroup);
  return [
    {
      step: 'failures',
      rollouts: times(diffs, miningTasks),
      formula: `${diffs} iterations × ${sizeText(miningTasks)} tasks`,
    },
    {
      step: 'screening',
      rollouts: times(diffs, screeningTasks === null ? null : halvingRollouts(candidates, screeningTasks)),
      formula: `${diffs} iterations × successive halving of ${candidates} diffs and their parent on ${sizeText(screeningTasks)} tasks`,
    },
    {
      step: 'gates',
      rollouts: times((diffs + updates) * 2, inGate),
      formula: `(${diffs} diffs + ${updates} weight updates) × 2 arms × ${sizeText(inGate)} tasks`,
    },
    {
      step: 'audits',
      rollouts: times((first + restored) * 4 + again * 2, inAudit),
      formula: `((${first + restored} pairs × 2 references) + ${again} diffs under new weights) × 2 arms × ${sizeText(inAudit)} tasks`,
    },
    {
      step: 'samples',
      rollouts: times(updates, samples),
      formula: `${updates} weight updates × ${sizeText(sampleTasks)} tasks × ${sizeText(samplesPerTask)} samples`,
    },
    {
      step: 'sealed test',
      rollouts: times(pairsAtTheEnd(rounds) * testRepeats, testTasks),
      formula: `${pairsAtTheEnd(rounds)} pairs × ${sizeText(testTasks)} tasks × ${testRepeats} repeats`,
    },
  ];
}

function sizeText(size: number | null): string {
  return size === null ? 'planned' : String(size);
}

/** Zero of something unknown is zero. */
function times(count: number, size: number | null): number | null {
  return count === 0 ? 0 : size === null ? null : count * size;
}

/** The field of each heat on the tasks that are new in it, the better half and the best saving beside it in the next; the champion on all for comparison. */
function halvingRollouts(candidates: number, tasks: number): number {
  let field = candidates;
  let reached = 0;
  let rollouts = 0;
  for (const size of screeningHeats(tasks)) {
    rollouts += field * (size - reached);
    reached = size;
    field = Math.min(field, Math.ceil(field / 2) + 1);
  }
  return rollouts + tasks;
}
