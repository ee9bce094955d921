import { finalReply } from '../cases/expected-answer.ts';
import { contentWords, jaccard } from '../directives.ts';
import { blameLoop, type CaseRule, firstHook, quoteOf } from './case-rule.ts';

/** From this share of common words on, a text is another edition of the reply. */
const SAME_TEXT = 0.6;

/** What the outcome says was delivered is the reply with something taken out, put in or rewritten on the way. */
export const deliveredOtherwise: CaseRule = {
  name: 'delivered-otherwise',
  clues: ({ failing, facts }) => {
    for (const run of failing) {
      const reply = finalReply(run);
      if (reply === null) continue;
      const words = contentWords(reply.content);
      const delivered = run.outcome
        .split('; ')
        .map((part) => /^(?!expected|gold|target|reference)[\w-]+: (.+)$/s.exec(part)?.[1] ?? '')
        .find(
          (text) =>
            text.trim() !== reply.content.trim() && words.size > 2 && jaccard(words, contentWords(text)) >= SAME_TEXT,
        );
      if (delivered === undefined) continue;
      return [
        {
          ...blameLoop(firstHook(facts), '/middleware'),
          mechanism: 'delivered-otherwise',
          explanation: 'What was delivered is not what the model said.',
          weight: 2.4,
          evidence: [quoteOf(reply.event, reply.content), quoteOf(`${run.place}/outcome`, delivered)],
        },
      ];
    }
    return [];
  },
};
