import type { MiddlewareFactory } from './middleware.ts';

/** An empty reply is not taken as an answer: the model is asked to go on, at most `nudges` times. A full window is left to the memory policy. */
export const voidTurnNudge: MiddlewareFactory<'void-turn-nudge'> = ({ nudges, message }) => {
  let left = nudges;
  return {
    afterModel: ({ written, finishReason }) => {
      if (written.trim() !== '' || finishReason === 'window' || left === 0) return null;
      left--;
      return { kind: 'ask-again', text: message };
    },
  };
};
