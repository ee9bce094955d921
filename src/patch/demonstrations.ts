import type { ContentHash } from '../base/content-hash.ts';
import { isRecord } from '../base/is-record.ts';
import type { ExampleStep, Harness, HarnessExample } from '../harness/harness.ts';
import type { Task } from '../task/task.ts';
import type { ToolCall, Trajectory } from '../trajectory/trajectory.ts';

/** A solved train task that can be shown as a worked example. */
export interface Demonstration {
  task: ContentHash;
  group: string;
  problem: string;
  steps: readonly ExampleStep[];
  /** What the calls look like, without their values: examples of one shape teach the same thing. */
  shape: string;
  /** Characters of problem and steps. */
  length: number;
}

/**
 * Demonstrations from reference solutions, and from verified successes where a task has none; one per task, in order of the tasks, without the
 * tasks that φ shows already. Solutions that use a tool φ does not have are left out.
 */
export function collectDemonstrations(
  harness: Harness,
  trainTasks: readonly Task[],
  successes: readonly Trajectory[],
): Demonstration[] {
  const shown = new Set(harness.examples.flatMap((example) => example.fromTasks));
  const verified = new Map(successes.map((trajectory) => [trajectory.identity.task as string, trajectory]));
  const own = new Set(harness.tools.map((tool) => tool.name));
  return trainTasks.flatMap((task) => {
    if (shown.has(task.hash)) return [];
    const tools = own.union(toolsBroughtBy(task));
    const success = verified.get(task.hash);
    const steps = referenceSteps(task) ?? (success === undefined ? null : verifiedSteps(success));
    if (steps === null || steps.length === 0) return [];
    if (steps.some((step) => step.call !== undefined && !tools.has(step.call.tool))) return [];
    const length = task.problem.length + JSON.stringify(steps).length;
    return [{ task: task.hash, group: task.group, problem: task.problem, steps, shape: shapeOf(steps), length }];
  });
}

/** Names in `fields.tools`: tools that are offered for this task only. */
function toolsBroughtBy({ fields }: Task): Set<string> {
  const brought = fields?.tools;
  if (!Array.isArray(brought)) return new Set();
  const names = brought.map((tool) => (isRecord(tool) ? tool.name : null));
  return new Set(names.filter((name) => typeof name === 'string'));
}

/** Calls of the reference; a scalar gold answer is what its last call returns and what the final text says, unless given otherwise. */
function referenceSteps({ reference, answer }: Task): ExampleStep[] | null {
  if (reference === undefined) return null;
  const scalar = typeof answer === 'string' || typeof answer === 'number' ? String(answer) : undefined;
  const last = reference.calls.length - 1;
  const steps: ExampleStep[] = reference.calls.map((call, index) =>
    index === last && scalar !== undefined ? { call, result: scalar } : { call },
  );
  const text = reference.text ?? scalar;
  return text === undefined ? steps : [...steps, { text }];
}

/** Calls that returned, in order, and the final text; null when a turn held anything else (a refused call is no model to follow). */
function verifiedSteps(trajectory: Trajectory): ExampleStep[] | null {
  const isClean = trajectory.events.every(
    (event) =>
      event.type !== 'call-unreadable' &&
      event.type !== 'tool-refused' &&
      event.type !== 'tool-failed' &&
      event.type !== 'fault' &&
      // What middleware put in the place of the model's words is no model to follow either.
      !(event.type === 'middleware-acted' && event.setsAside),
  );
  if (!isClean) return null;
  const steps: ExampleStep[] = trajectory.events.flatMap((event) =>
    event.type === 'tool-returned' ? [{ call: copyOf(event.call), result: event.value }] : [],
  );
  const answered = trajectory.events.find((event) => event.type === 'answered');
  // A right guess without a call would teach not to call; where calls are the answer, none can be the right one.
  if (steps.length === 0 && answered?.from === 'text' && trajectory.events.some(({ type }) => type === 'no-call'))
    return null;
  if (answered?.answer != null) steps.push({ text: answered.answer });
  return steps;
}

function copyOf({ tool, arguments: given }: ToolCall): ToolCall {
  return { tool, arguments: structuredClone(given) };
}

/** Tool names and argument texts with numbers and words blurred: `calculator{expression:#+#}`. */
function shapeOf(steps: readonly ExampleStep[]): string {
  const blur = (value: unknown): string =>
    typeof value === 'string'
      ? value
          .replace(/[\d.,]*\d/g, '#')
          .replace(/\p{L}+/gu, 'w')
          .replace(/\s+/g, '')
      : typeof value;
  return steps
    .flatMap(({ call }) => {
      if (call === undefined) return [];
      const given = Object.entries(call.arguments).map(([name, value]) => `${name}:${blur(value)}`);
      return [`${call.tool}{${given.sort().join(',')}}`];
    })
    .join(' ');
}

/**
 * The steps as a rollout would go that takes its answer from there. `tool`: it ends with the first call that returns, so the example is that one
 * call; null for solutions of several calls. `text`: calls, results, final text; without the results there is nothing to base a text on, and a
 * single call stands alone.
 */
export function stepsUnder(from: 'text' | 'tool', steps: readonly ExampleStep[]): readonly ExampleStep[] | null {
  const calls = steps.filter((step) => step.call !== undefined);
  const [first] = calls;
  if (first?.call === undefined) return steps.length > 0 ? steps : null;
  if (from === 'tool') return calls.length === 1 ? [{ call: first.call }] : null;
  if (calls.every((step) => step.result !== undefined)) return steps;
  return calls.length === 1 ? [{ call: first.call }] : null;
}

/** The demonstration as an example of φ under an answer source; `position` orders the files. Null: it cannot be shown there. */
export function exampleFrom(
  demonstration: Demonstration,
  position: number,
  from: 'text' | 'tool',
): HarnessExample | null {
  const steps = stepsUnder(from, demonstration.steps);
  if (steps === null) return null;
  return {
    name: `${String(position).padStart(2, '0')}-${demonstration.task.slice(0, 8)}`,
    problem: demonstration.problem,
    steps,
    fromTasks: [demonstration.task],
  };
}
