import { fillTemplate } from '../fill-template.ts';
import type { MiddlewareFactory } from './middleware.ts';

/** Tells the model once that few replies are left. Counts turns, not time: what is said must not depend on how fast a machine is. */
export const budgetReminder: MiddlewareFactory<'budget-reminder'> = ({ turns, message }) => {
  let isSaid = false;
  return {
    beforeModel: (_history, { turnsLeft }) => {
      if (isSaid || turnsLeft >= turns) return null;
      isSaid = true;
      return { kind: 'say', text: fillTemplate(message, { turns: turnsLeft + 1 }) };
    },
  };
};
