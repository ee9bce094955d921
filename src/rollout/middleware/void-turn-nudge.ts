import type { MiddlewareFactory } from './middleware.ts';

/** An empty reply is not taken as an answer: the model is asked to go on, at most `nudges` times. A full window is left to the memory policy. */
export const voidTurnNudge: MiddlewareFactory<'void-turn-nudge'> = ({ nudges, message }) => {
  let left = nudges;
  return {
    afterModel: ({ written, calls, finishReason }) => {
      if (written.trim() !== '' || calls.length > 0 || finishReason === 'window' || left === 0) return null;
      left--;
      return { kind: 'ask-again', text: message };
    },
  };
};
