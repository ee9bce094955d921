import type { Harness } from '../../harness/harness.ts';
import type { PatchEdit } from '../../harness/patch-edit.ts';
import { isFailure } from '../../trajectory/is-success.ts';
import { chooseExamples, type ExampleChoice } from '../choose-examples.ts';
import { type Demonstration, exampleFrom, stepsUnder } from '../demonstrations.ts';
import { examplePath, exampleText } from '../harness-edits.ts';
import type { OperatorContext } from '../patch-operator.ts';

/**
 * A set of examples that a draft adds: its size and how it is chosen. `missed`: diverse, among the tasks that failed under this harness, so that what
 * the examples do not show yet is shown.
 */
export interface ExampleSet {
  count: number;
  choice: ExampleChoice | 'missed';
}

/** Demonstrations for one set that fit the answer source; empty when there are fewer than half as many as wanted. */
export function examplesFor(
  context: OperatorContext,
  { count, choice }: ExampleSet,
  from: 'text' | 'tool' = context.harness.settings.answer.from,
): Demonstration[] {
  const fitting = context.demonstrations.filter(({ steps }) => stepsUnder(from, steps) !== null);
  const missed = choice === 'missed' ? failedTasks(context) : null;
  const pool = missed === null ? fitting : fitting.filter(({ task }) => missed.has(task));
  const chosen = chooseExamples(pool, count, choice === 'missed' ? 'diverse' : choice, context.random);
  return chosen.length * 2 >= count ? chosen : [];
}

function failedTasks({ trajectories, harness }: OperatorContext): Set<string> {
  const own = trajectories.filter(({ identity }) => identity.harness === harness.hash);
  return new Set(own.filter(isFailure).map(({ identity }) => identity.task));
}

/** Edits that add the demonstrations after those φ shows already. */
export function addedExamples(
  harness: Harness,
  chosen: readonly Demonstration[],
  from: 'text' | 'tool' = harness.settings.answer.from,
): PatchEdit[] {
  const taken = harness.examples.map(({ name }) => Number.parseInt(name, 10)).filter(Number.isFinite);
  const first = Math.max(0, ...taken) + 1;
  return chosen.flatMap((demonstration, index) => {
    const example = exampleFrom(demonstration, first + index, from);
    return example === null ? [] : [{ path: examplePath(example), value: exampleText(example) }];
  });
}

/** Edits that remove examples by name. */
export function removedExamples(harness: Harness, names: readonly string[]): PatchEdit[] {
  return names.flatMap((name) => {
    const old = harness.files.get(examplePath({ name }));
    return old === undefined ? [] : [{ path: examplePath({ name }), old }];
  });
}
