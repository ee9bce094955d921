import { z } from 'zod';
import { argumentsOf } from '../written-calls.ts';
import type { Case, CaseStep } from './case.ts';
import { hasPassed, outcomeText } from './read-outcome.ts';
import { contentText } from './read-step.ts';

/** ATIF trajectory (Agent Trajectory Interchange Format, up to v1.7). Only what is read here is checked. */
export const atifSchema = z.looseObject({
  schema_version: z.string(),
  session_id: z.string().nullish(),
  trajectory_id: z.string().nullish(),
  agent: z
    .looseObject({
      name: z.string().nullish(),
      tool_definitions: z.array(z.unknown()).nullish(),
      extra: z.unknown().optional(),
    })
    .nullish(),
  steps: z
    .array(
      z.looseObject({
        step_id: z.union([z.number(), z.string()]),
        source: z.string(),
        message: z.unknown().optional(),
        reasoning_content: z.string().nullish(),
        tool_calls: z.array(z.looseObject({ function_name: z.string(), arguments: z.unknown().optional() })).nullish(),
        observation: z
          .looseObject({ results: z.array(z.looseObject({ content: z.unknown().optional() })).nullish() })
          .nullish(),
      }),
    )
    .min(1),
  notes: z.string().nullish(),
  extra: z.unknown().optional(),
  final_metrics: z.looseObject({ extra: z.unknown().optional() }).nullish(),
});
type Atif = z.output<typeof atifSchema>;

const ROLES: Readonly<Record<string, CaseStep['role']>> = {
  system: 'system',
  user: 'user',
  agent: 'assistant',
  assistant: 'assistant',
};

/** One run; a step with an observation becomes the reply and one tool step per result. Its system steps and tool definitions are the harness. */
export function readAtif(value: Atif, fallbackId: string): Case {
  const system = value.steps.filter(({ source }) => source === 'system').map(({ message }) => contentText(message));
  const tools = value.agent?.tool_definitions ?? undefined;
  const harness = {
    ...(system.length > 0 ? { system_prompt: system.join('\n\n') } : {}),
    ...(tools === undefined ? {} : { tools }),
    ...(value.agent?.extra === undefined ? {} : { settings: value.agent.extra }),
  };
  const outcome = verdictOf(value);
  return {
    id: value.trajectory_id ?? value.session_id ?? fallbackId,
    problem: value.notes ?? '',
    runs: [
      {
        place: 'steps',
        task: contentText(value.steps.find(({ source }) => source === 'user')?.message),
        harness,
        steps: value.steps.flatMap(readSteps),
        passed: hasPassed(outcome),
        outcome: outcomeText(outcome),
      },
    ],
  };
}

/** ATIF has no verdict of its own; those who know one put it into `extra`. */
function verdictOf({ extra, final_metrics: metrics }: Atif): unknown {
  for (const place of [extra, metrics?.extra, metrics]) {
    if (typeof place !== 'object' || place === null) continue;
    const fields = place as Record<string, unknown>;
    const verdict = fields.outcome ?? fields.reward ?? fields.score ?? fields.passed ?? fields.success;
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

function readSteps(step: Atif['steps'][number]): CaseStep[] {
  const event = `steps/${step.step_id}`;
  const calls = (step.tool_calls ?? []).map((call) => ({
    tool: call.function_name,
    arguments: argumentsOf(call.arguments),
  }));
  const said: CaseStep = {
    event,
    role: ROLES[step.source] ?? 'note',
    content: [step.reasoning_content ?? '', contentText(step.message)].filter((text) => text !== '').join('\n'),
    calls,
    hasNativeCalls: calls.length > 0,
  };
  const results = (step.observation?.results ?? []).map(
    (result): CaseStep => ({
      event,
      role: 'tool',
      content: contentText(result.content),
      calls: [],
      hasNativeCalls: false,
    }),
  );
  return [said, ...results];
}
