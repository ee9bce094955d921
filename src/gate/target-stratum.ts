/** One rollout of the parent on a gate task, and whether it shows the failure that the diff aims at. */
export interface LabelledRollout {
  task: string;
  repeat: number;
  showsTarget: boolean;
}

/**
 * For each rollout, in order, whether its pair counts as targeted: a label never comes from the pair's own parent rollout,
 * because a stratum picked by its failures recovers by itself (regression to the mean), and what it leaves behind as
 * "held out" can only get worse. With repeats, the next repeat of the same task labels (the last one is labelled by the
 * first). A single repeat can label itself only where decoding is deterministic (`deterministic`); otherwise nothing is
 * targeted and the whole gate is one stratum.
 */
export function targetStratum(rollouts: readonly LabelledRollout[], { deterministic }: { deterministic: boolean }): boolean[] {
  if (deterministic) return rollouts.map(({ showsTarget }) => showsTarget);
  const byTask = new Map<string, LabelledRollout[]>();
  for (const rollout of rollouts) {
    const others = byTask.get(rollout.task);
    if (others === undefined) byTask.set(rollout.task, [rollout]);
    else others.push(rollout);
  }
  return rollouts.map((rollout) => {
    const repeats = byTask.get(rollout.task) as LabelledRollout[];
    if (repeats.length < 2) return false;
    return (repeats[(repeats.indexOf(rollout) + 1) % repeats.length] as LabelledRollout).showsTarget;
  });
}
