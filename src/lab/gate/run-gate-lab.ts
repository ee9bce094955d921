import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { CoHarnessError } from '../../base/errors.ts';
import type { FixedSizeComparison } from './fixed-size-comparison.ts';
import { defaultCells, type LabCell, labCell, WORLD_NAMES } from './lab-cells.ts';
import { type LabGoal, labGoals } from './lab-goals.ts';
import { type LabJob, type LabJobResult, runLabJob } from './lab-job.ts';
import { ALPHA, type LabCellResult } from './run-lab-cell.ts';
import type { DriftResult } from './simulate-drift.ts';

export interface GateLabOptions extends Partial<LabCell> {
  /** Searches per cell; default 2,000, quick 1,000. */
  searches?: number;
  seed?: number;
  /** The short table, made for ≤ 60 s on two cores. */
  quick?: boolean;
  /** Threads; default: all cores, at most one per job. 1 = none besides the caller's. */
  threads?: number;
  onProgress?: (done: number, total: number) => void;
}

export const GATE_LAB_SCHEMA = 'co-harness/gate-lab@1';

export interface GateLabReport {
  schema: typeof GATE_LAB_SCHEMA;
  seed: number;
  /** Error allowed to a whole search. */
  alpha: number;
  /** What the gate is to show and whether these results show it, with the budget it is stated for. */
  goals: LabGoal[];
  cells: LabCellResult[];
  /** Only in the whole table. */
  comparisons: FixedSizeComparison[];
  drift: DriftResult | null;
  seconds: number;
}

/**
 * Runs the gate's own code against simulated worlds; no model, no file. Any of rule, world, effect, candidates, goal or control
 * selects the cells with these values, in every simulated world unless one is named. Same options and seed → same numbers,
 * whatever the threads. Throws CoHarnessError `unknown-world` or `invalid-lab`.
 */
export async function runGateLab(options: GateLabOptions = {}): Promise<GateLabReport> {
  const { seed = 1, quick = false, onProgress } = options;
  const started = performance.now();
  const searches = options.searches ?? (quick ? 1000 : 2000);
  const { cells, whole } = chooseCells(options, searches);
  const jobs: LabJob[] = cells.map((cell) => ({ kind: 'cell', cell, searches, seed }));
  if (whole) {
    const worlds = quick ? ['even'] : ['even', 'bimodal', 'middle', 'coupled'];
    jobs.push(...worlds.map((world): LabJob => ({ kind: 'comparison', world, searches, seed })));
    jobs.push({ kind: 'drift', searches: Math.ceil(searches / 10), seed });
  }
  const threads = Math.min(jobs.length, options.threads ?? availableParallelism());
  const results = await runJobs(jobs, threads, (done) => onProgress?.(done, jobs.length));
  const measured = {
    cells: results.flatMap((each) => (each.kind === 'cell' ? [each.result] : [])),
    comparisons: results.flatMap((each) => (each.kind === 'comparison' ? [each.result] : [])),
    drift: results.flatMap((each) => (each.kind === 'drift' ? [each.result] : []))[0] ?? null,
  };
  const goals = labGoals(measured, ALPHA);
  const seconds = (performance.now() - started) / 1000;
  return { schema: GATE_LAB_SCHEMA, seed, alpha: ALPHA, goals, ...measured, seconds };
}

const CHOICES = ['rule', 'world', 'effect', 'candidates', 'goal', 'control', 'groups', 'repeats', 'decision'] as const;

function chooseCells(options: GateLabOptions, searches: number): { cells: LabCell[]; whole: boolean } {
  checkOptions(options, searches);
  const choice = Object.fromEntries(
    CHOICES.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  ) as Partial<LabCell>;
  if (Object.keys(choice).length === 0) return { cells: defaultCells(options.quick ?? false), whole: true };
  const worlds = choice.world === undefined ? WORLD_NAMES.filter((name) => name !== 'mixed') : [choice.world];
  return { cells: worlds.map((world) => labCell({ ...choice, world })), whole: false };
}

/** Long before it nothing can be shown with the error that is left. */
const MOST_DECISIONS = 1000;

function checkOptions(options: GateLabOptions, searches: number): void {
  const { world, effect = 0, candidates = 1, groups = 1, repeats = 1, decision = 1 } = options;
  if (world !== undefined && !WORLD_NAMES.includes(world)) {
    throw new CoHarnessError(
      'unknown-world',
      `No simulated world is called ${world}. Known: ${WORLD_NAMES.join(', ')}.`,
      {
        details: { world, known: WORLD_NAMES },
      },
    );
  }
  const counts = [searches, candidates, groups, repeats, decision];
  const whole = counts.every((count) => Number.isInteger(count) && count >= 1) && decision <= MOST_DECISIONS;
  if (whole && effect > -0.5 && effect < 0.5) return;
  throw new CoHarnessError(
    'invalid-lab',
    `Searches, candidates, groups, repeats and decision (at most ${MOST_DECISIONS}) are whole numbers ≥ 1 and the effect lies in (−0.5, 0.5); got ${searches}, ${candidates}, ${groups}, ${repeats}, ${decision} and ${effect}.`,
    { details: { searches, candidates, groups, repeats, decision, effect } },
  );
}

/** Results in the order of the jobs. Rejects with the first error of a job. */
async function runJobs(
  jobs: readonly LabJob[],
  threads: number,
  onDone: (done: number) => void,
): Promise<LabJobResult[]> {
  const results = new Array<LabJobResult>(jobs.length);
  let done = 0;
  if (threads <= 1) {
    for (const [index, job] of jobs.entries()) {
      results[index] = runLabJob(job);
      onDone(++done);
    }
    return results;
  }
  let next = 0;
  const work = async () => {
    const worker = new Worker(new URL('./lab-worker.ts', import.meta.url));
    try {
      while (next < jobs.length) {
        const index = next++;
        results[index] = await answer(worker, jobs[index] as LabJob);
        onDone(++done);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: threads }, work));
  return results;
}

function answer(worker: Worker, job: LabJob): Promise<LabJobResult> {
  return new Promise((resolve, reject) => {
    const onMessage = (result: LabJobResult) => {
      worker.off('error', onError);
      resolve(result);
    };
    const onError = (error: Error) => {
      worker.off('message', onMessage);
      reject(error);
    };
    worker.once('message', onMessage);
    worker.once('error', onError);
    worker.postMessage(job);
  });
}
