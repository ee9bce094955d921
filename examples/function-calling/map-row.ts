import type { TaskRow } from '../../src/task/task.ts';

interface FunctionDescription {
  name: string;
  parameters?: { required?: string[] };
}

type AcceptedValues = Record<string, unknown[]>;

/**
 * Rows of the Berkeley Function-Calling Leaderboard (single turn) → tasks, for `tasks.mapRow`. The functions become
 * `fields.tools`, offered for this task only; the answer stays the list of accepted calls that the `function-calls`
 * verifier reads, the empty list where no function fits. The reference solution is the first accepted value of each
 * parameter that cannot be left out. A problem that is a JSON list of messages becomes their texts, one below the
 * other. Rows whose answer is a list of call strings (`exec_*`), and rows that accept no value at all for some
 * parameter, so that no call can be right, are dropped. Rows without `functions` pass through. Whoever loads the rows
 * checks the form of what comes out.
 */
export function mapRow(source: unknown): TaskRow | null {
  const row = source as TaskRow & { functions?: unknown };
  const { id, problem, answer, functions } = row;
  if (!Array.isArray(functions)) return row;
  if (!Array.isArray(answer) || answer.some((call) => typeof call === 'string' || isUnmeetable(call))) return null;
  const descriptions = functions as FunctionDescription[];
  const calls = (answer as unknown as Record<string, AcceptedValues>[]).flatMap((call) =>
    Object.entries(call).map(([tool, accepted]) => ({
      tool,
      arguments: simplestArguments(
        accepted,
        descriptions.find(({ name }) => name === tool)?.parameters?.required ?? [],
      ),
    })),
  );
  return {
    id,
    problem: problemText(problem),
    answer,
    fields: { tools: functions },
    reference: calls.length === 0 ? { calls, text: 'None of the functions can do this.' } : { calls },
  };
}

function isUnmeetable(call: unknown): boolean {
  return Object.values(call as Record<string, AcceptedValues>).some((parameters) =>
    Object.values(parameters).some((accepted) => accepted.length === 0),
  );
}

function problemText(problem: string): string {
  if (!problem.startsWith('[{"role"')) return problem;
  const messages = JSON.parse(problem) as { content: string }[];
  return messages.map(({ content }) => content.trim()).join('\n\n');
}

function simplestArguments(accepted: AcceptedValues, required: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(accepted).flatMap(([name, values]) => {
      if (values.includes('') && !required.includes(name)) return [];
      const value = values.find((candidate) => candidate !== '') ?? values[0];
      return value === undefined ? [] : [[name, plainValue(value)]];
    }),
  );
}

/** Inside accepted values, objects again list accepted values per key. */
function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, accepted]) => {
      if (!Array.isArray(accepted)) return [[key, plainValue(accepted)]];
      if (accepted.includes('')) return [];
      return [[key, plainValue(accepted[0])]];
    }),
  );
}
