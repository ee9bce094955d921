import { headAndTail } from '../head-and-tail.ts';
import type { MiddlewareFactory } from './middleware.ts';

/** Shows the head and the tail of a long result, with the number of characters left out between them. The value itself stays whole. */
export const outputCap: MiddlewareFactory<'output-cap'> = ({ headCharacters, tailCharacters }) => ({
  afterTool: ({ text }) => {
    const shown = headAndTail(text, headCharacters, tailCharacters);
    return shown === text ? null : { kind: 'show', text: shown };
  },
});
