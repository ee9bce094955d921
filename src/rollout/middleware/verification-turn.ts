import type { MiddlewareFactory } from './middleware.ts';

/** Sends an answer back to be checked, within the turn limit. A check that brings no answer of its own leaves the one that was checked. */
export const verificationTurn: MiddlewareFactory<'verification-turn'> = ({ times, message }) => {
  let left = times;
  let checked: string | null = null;
  return {
    finish: (answer, { turnsLeft }) => {
      if (answer === null) return checked === null ? null : { kind: 'use-answer', answer: checked };
      if (left === 0 || turnsLeft === 0) return null;
      left--;
      checked = answer;
      return { kind: 'ask-again', text: message };
    },
  };
};
