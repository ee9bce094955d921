import { z } from 'zod';
import { factsOfJson } from '../harness-facts/facts-of-json.ts';
import type { Case } from './case.ts';
import { hasPassed, outcomeText } from './read-outcome.ts';
import { contentText, readSteps, stepSchema } from './read-step.ts';

/** OpenAI chat messages, with the request's tools and whatever else stands beside them. */
export const chatSchema = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  messages: z.array(stepSchema).min(1),
  tools: z.array(z.unknown()).optional(),
});

const NOT_HARNESS = new Set([
  'id',
  'messages',
  'problem',
  'task',
  'outcome',
  'score',
  'passed',
  'reward',
  'expected',
  'answer',
]);

/** What the request held beside the messages counts as its harness, its system messages as prompts. */
export function readChat(value: z.output<typeof chatSchema>, fallbackId: string): Case {
  const system = value.messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ content }) => contentText(content));
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => !NOT_HARNESS.has(key)));
  const harness = { ...(system.length > 0 ? { system_prompt: system.join('\n\n') } : {}), ...rest };
  const names = factsOfJson(harness).tools.map(({ name }) => name);
  const outcome = value.outcome ?? value.passed ?? value.score ?? value.reward;
  const firstUser = value.messages.find(({ role }) => role === 'user');
  return {
    id: String(value.id ?? fallbackId),
    problem: contentText(value.problem),
    runs: [
      {
        place: 'messages',
        task: contentText(value.task ?? firstUser?.content),
        harness,
        steps: readSteps(value.messages, 'messages', names),
        passed: hasPassed(outcome),
        outcome: [outcomeText(outcome), value.expected === undefined ? '' : `expected ${contentText(value.expected)}`]
          .filter((text) => text !== '')
          .join('; '),
      },
    ],
  };
}
