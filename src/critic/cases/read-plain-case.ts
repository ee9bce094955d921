import { z } from 'zod';
import { factsOfJson } from '../harness-facts/facts-of-json.ts';
import type { Case } from './case.ts';
import { hasPassed, outcomeText } from './read-outcome.ts';
import { contentText, readSteps, stepSchema } from './read-step.ts';

const runSchema = z.looseObject({
  task: z.unknown().optional(),
  harness: z.unknown().optional(),
  steps: z.array(stepSchema),
  outcome: z.unknown().optional(),
});

/** `{id, problem, trace: {runs: […]}}`; `runs` may stand without `trace` around it. */
export const plainCaseSchema = z
  .looseObject({
    id: z.union([z.string(), z.number()]).optional(),
    problem: z.unknown().optional(),
    trace: z.looseObject({ runs: z.array(runSchema).min(1), harness: z.unknown().optional() }).optional(),
    runs: z.array(runSchema).min(1).optional(),
    harness: z.unknown().optional(),
  })
  .refine((value) => value.trace !== undefined || value.runs !== undefined, {
    path: ['trace', 'runs'],
    message: 'expected a list of runs',
  });

export function readPlainCase(value: z.output<typeof plainCaseSchema>, fallbackId: string): Case {
  const runs = value.trace?.runs ?? value.runs ?? [];
  const shared = value.trace?.harness ?? value.harness ?? null;
  return {
    id: String(value.id ?? fallbackId),
    problem: contentText(value.problem),
    runs: runs.map((run, index) => {
      const harness = run.harness ?? shared;
      const names = factsOfJson(harness).tools.map(({ name }) => name);
      const place = `runs/${index}`;
      return {
        place,
        task: contentText(run.task),
        harness,
        steps: readSteps(run.steps, `${place}/steps`, names),
        passed: hasPassed(run.outcome),
        outcome: outcomeText(run.outcome),
      };
    }),
  };
}
