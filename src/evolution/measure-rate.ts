import { drawTrainTasks } from './draw-tasks.ts';
import { remember, rollOut } from './roll-out.ts';
import type { RunContext } from './run-context.ts';

const PILOT_TASKS = 12;

/** A few rollouts of the seed pair on `train`, so that the first plan rests on a measured rate. They stay in the journal as mining material. */
export async function measureRate(context: RunContext): Promise<void> {
  const harness = context.seedHarness;
  const [trajectories = []] = await rollOut(context, { round: 1, step: 'measuring the rate' }, [
    {
      harness,
      model: context.models.base,
      tasks: drawTrainTasks(context, harness, 'pilot', PILOT_TASKS),
      split: 'train',
      repeats: 1,
      sampling: null,
      seedStream: 'pilot',
    },
  ]);
  remember(context, trajectories);
}
