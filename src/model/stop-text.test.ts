import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stopText } from './stop-text.ts';

/** A token is a byte. */
const decode = (tokens: readonly number[]) => Buffer.from(tokens).toString('utf8');
const bytes = (text: string) => [...Buffer.from(text)];

function firstCut(text: string, stops: readonly string[]): { at: number; text: string } | undefined {
  const stop = stopText(stops, decode);
  const tokens = bytes(text);
  for (let length = 1; length <= tokens.length; length++) {
    const cut = stop.cut(tokens.slice(0, length));
    if (cut !== undefined) return { at: length, text: cut };
  }
  return undefined;
}

describe('stopText', () => {
  it('cuts when the last token of a stop string has come, not before', () => {
    expect(firstCut('a\n\nb', ['\n\n'])).toEqual({ at: 3, text: 'a' });
    expect(firstCut('a\n', ['\n\n'])).toBeUndefined();
  });

  it('finds a stop string after a character that is split over tokens', () => {
    expect(firstCut('né🙂END', ['END'])?.text).toBe('né🙂');
  });

  it('ignores empty stop strings', () => {
    expect(firstCut('abc', [''])).toBeUndefined();
  });

  it('cuts any text exactly where the first completed stop string begins', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), maxLength: 30 });
    const stopString = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(part, fc.array(stopString, { minLength: 1, maxLength: 3 }), (text, stops) => {
        const ends = stops.filter((stop) => text.includes(stop)).map((stop) => text.indexOf(stop) + stop.length);
        const cut = firstCut(text, stops);
        if (ends.length === 0) {
          expect(cut).toBeUndefined();
          return;
        }
        const before = text.slice(0, Math.min(...ends));
        const starts = stops.filter((stop) => before.includes(stop)).map((stop) => before.indexOf(stop));
        expect(cut).toEqual({ at: Buffer.byteLength(before), text: before.slice(0, Math.min(...starts)) });
      }),
    );
  });
});
