import { systemClock } from '../base/clock.ts';
import { CoHarnessError } from '../base/errors.ts';
import { openSqliteJournal } from '../base/sqlite-journal.ts';
import { withoutShown } from '../evolution/draw-tasks.ts';
import { type RealActor, scenarioOfRun } from '../lab/faults/real-actor.ts';
import type { ModelBackend } from '../model/model-backend.ts';
import { runBatch } from '../rollout/run-batch.ts';
import { cutGroups } from '../task/cut-groups.ts';
import type { Task } from '../task/task.ts';
import { type GateSubject, gateSubject } from './gate-subject.ts';
import type { OpenedEngines } from './open-engines.ts';
import { openRunEngines } from './open-run-engines.ts';

/** A version of a run, ready to be broken. */
export interface OpenedActor extends RealActor {
  subject: GateSubject;
  engines: OpenedEngines;
  /** The run's `train` split without `tasks` and those that φ shows as examples. */
  train: readonly Task[];
  close(): Promise<void>;
}

export interface RealActorOptions {
  /** What `Registry.find` takes. */
  pair: string;
  /** Absent: the config that the run was made from. */
  config?: string;
  /** `a.b=value`, as the run was started with. */
  set: readonly string[];
  /** Tasks to break φ on, at least; whole groups from the end of the run's `train` split, none that φ shows as an example. */
  tasks: number;
  /** Keeps the greedy rollouts, so that a second call buys none of them again; in the run's folder. */
  journalFile: (folder: string) => string;
  signal: AbortSignal;
}

/** Fewest train tasks that must be left for references. */
const FEWEST_LEFT = 8;

/**
 * `reference`: run name or folder; undefined = the newest. The run's gate and sealed tasks are not touched. Throws what `gateSubject` and `openRunEngines` do,
 * CoHarnessError `invalid-config` for a run whose agent is somebody else's program, `too-few-tasks` where `train` is too small.
 */
export async function openRealActor(
  reference: string | undefined,
  { tasks: count, journalFile, signal, ...options }: RealActorOptions,
): Promise<OpenedActor> {
  const subject = await gateSubject(reference, options);
  const { folder, header, harness, verifier, name } = subject;
  if (header.runner !== undefined) {
    throw new CoHarnessError(
      'invalid-config',
      `${name} runs an agent of its own: only φ of our own loop can be broken here. Name a run without a runner.`,
    );
  }
  const open = withoutShown(subject.train, harness);
  const { taken: tasks, rest: train } = cutGroups(open, count);
  if (tasks.length < count || train.length < FEWEST_LEFT) {
    throw new CoHarnessError(
      'too-few-tasks',
      `${name} has ${open.length} train tasks that its harness does not show; ${count} are needed to break its harness on, and ${FEWEST_LEFT} beside them. Give fewer with --tasks, or name a run with more.`,
    );
  }
  const journal = openSqliteJournal(journalFile(folder));
  const opened = await openModel(subject, signal).catch(async (error) => {
    await journal.close();
    throw error;
  });
  const { engines, model } = opened;
  const stage = { model, toolHosts: engines.toolHosts, clock: systemClock, signal };
  return {
    subject,
    engines,
    train,
    tasks,
    isBest: subject.isChampion,
    stage,
    scenario: scenarioOfRun({ name, harness, verifier }, train),
    rollOut: async (broken, some) => {
      const fixed = {
        ...stage,
        harness: broken,
        verifier,
        sampling: null,
        repeat: 0,
        seed: 0,
        split: 'train' as const,
      };
      const jobs = some.map((task) => ({ ...fixed, task }));
      const trajectories = await runBatch(jobs, { journal, signal });
      for (const { outcome } of trajectories) {
        if (outcome.kind === 'scored') continue;
        throw new CoHarnessError(
          'infrastructure',
          `A rollout got no score: ${outcome.why}. What is finished is kept; give the same command again.`,
        );
      }
      return trajectories;
    },
    close: async () => {
      try {
        await journal.close();
      } finally {
        await engines.close();
      }
    },
  };
}

async function openModel(
  { folder, header, version }: GateSubject,
  signal: AbortSignal,
): Promise<{ engines: OpenedEngines; model: ModelBackend }> {
  const engines = await openRunEngines(folder, header, signal);
  try {
    return { engines, model: await engines.models.open(version.pair.model) };
  } catch (error) {
    await engines.close();
    throw error;
  }
}
