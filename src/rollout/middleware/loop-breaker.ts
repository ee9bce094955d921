import { canonicalJson } from '../../base/content-hash.ts';
import type { ToolCall } from '../../trajectory/trajectory.ts';
import { fillTemplate } from '../fill-template.ts';
import type { MiddlewareFactory } from './middleware.ts';

/**
 * A call that has run `runs` times unchanged is not run again: the model is told what it gave. A reply that repeats the last one word for word and
 * could not be read is answered likewise. Tools whose value changes with time need a larger `runs`.
 */
export const loopBreaker: MiddlewareFactory<'loop-breaker'> = ({ runs, message }) => {
  const seen = new Map<string, { runs: number; text: string }>();
  let lastUnreadable = '';
  const keyOf = ({ tool, arguments: given }: ToolCall) => canonicalJson([tool, given]);
  return {
    afterModel: ({ written, unreadable, calls }) => {
      if (unreadable === null || calls.length > 0) return null;
      const repeats = written.trim() === lastUnreadable;
      lastUnreadable = written.trim();
      return repeats ? { kind: 'ask-again', text: fillTemplate(message, { result: unreadable.problem }) } : null;
    },
    beforeTool: (call) => {
      const known = seen.get(keyOf(call));
      if (known === undefined || known.runs < runs) return null;
      return { kind: 'stop', text: fillTemplate(message, { result: known.text }) };
    },
    afterTool: ({ call, text }) => {
      const key = keyOf(call);
      seen.set(key, { runs: (seen.get(key)?.runs ?? 0) + 1, text });
      return null;
    },
  };
};
