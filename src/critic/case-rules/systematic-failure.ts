import { finalReply } from '../cases/expected-answer.ts';
import { type CaseRule, quoteOf } from './case-rule.ts';

const TROUBLE =
  /\b(error|fail(ed|ure)?|exception|invalid|denied|refused|not found|unknown|time(d )?out|expired|empty|nothing|none)\b/i;

/**
 * Every run of one harness fails, over different tasks, and neither a tool nor the loop reports any trouble: what the model was told is at fault. A
 * model that errs by itself errs now and then.
 */
export const systematicFailure: CaseRule = {
  name: 'systematic-failure',
  clues: ({ failing, passing, facts }) => {
    const tasks = new Set(failing.map(({ task }) => task.trim()));
    const hasTrouble = failing.some(({ steps }) =>
      steps.some(({ role, content }) => role === 'note' || (role === 'tool' && TROUBLE.test(content.slice(0, 300)))),
    );
    if (passing.length > 0 || tasks.size < 2 || hasTrouble) return [];
    const prompt = facts.prompts[0];
    return [
      {
        label: 'prompt_ambiguity',
        component: 'prompt',
        path: prompt?.path ?? '/prompt',
        mechanism: 'fails-everywhere',
        explanation: 'Every run fails although nothing broke: what the model was told leads it there.',
        weight: 0.9,
        evidence: failing.slice(0, 2).flatMap((run) => {
          const reply = finalReply(run);
          return reply === null ? [] : [quoteOf(reply.event, reply.content)];
        }),
        repair: null,
      },
    ];
  },
};
