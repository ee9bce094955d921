/** Finds the end that a stop string puts to a growing text. */
export interface StopText {
  /**
   * The text before the earliest stop string, or undefined while none is complete. `tokens` is the whole completion so far; call it after
   * every token. A stop string may span tokens, and a part of one at the very end of a finished text is ordinary text.
   */
  cut(tokens: readonly number[]): string | undefined;
}

/** `decode` turns any run of tokens into text. */
export function stopText(stops: readonly string[], decode: (tokens: readonly number[]) => string): StopText {
  const wanted = stops.filter((stop) => stop !== '');
  if (wanted.length === 0) return { cut: () => undefined };
  // Every token that shows holds at least one byte, so this many of the last ones cover a stop string that has just been completed,
  // the rest of a split character included.
  const tail = Math.max(...wanted.map((stop) => Buffer.byteLength(stop))) + 4;
  return {
    cut: (tokens) => {
      const recent = decode(tokens.slice(-tail));
      if (!wanted.some((stop) => recent.includes(stop))) return undefined;
      const text = decode(tokens);
      const starts = wanted.map((stop) => text.indexOf(stop)).filter((start) => start !== -1);
      return starts.length === 0 ? undefined : text.slice(0, Math.min(...starts));
    },
  };
}
