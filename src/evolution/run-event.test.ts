import { describe, expect, it } from 'vitest';
import { broadcast, type RunEvent } from './run-event.ts';

const event: RunEvent = { type: 'step-finished', seed: 1, round: 2, step: 'gate', detail: 'done' };
const failing = (why: unknown) => () => {
  throw why;
};

describe('broadcast', () => {
  it('reports an observer that throws to the others, behind the event, and leaves it out', () => {
    const seen: RunEvent[] = [];
    let calls = 0;
    const emit = broadcast([
      () => {
        calls++;
        throw new Error('disk full');
      },
      (next) => seen.push(next),
    ]);
    emit(event);
    emit(event);
    expect(seen).toMatchObject([
      event,
      { type: 'notice', seed: 1, round: 2, text: expect.stringContaining('disk full') },
      event,
    ]);
    expect(calls).toBe(1);
  });

  it('never ends the run: not when two fail at the same event, nor when one fails at the notice about another, nor at what is no error', () => {
    const seen: RunEvent[] = [];
    const refusesNotices = ({ type }: RunEvent) => {
      if (type === 'notice') throw new Error('no notices');
    };
    const emit = broadcast([failing(new Error('first')), failing(null), refusesNotices, (next) => seen.push(next)]);
    expect(() => emit(event)).not.toThrow();
    const texts = seen.flatMap((next) => (next.type === 'notice' ? [next.text] : []));
    expect(texts.map((text) => text.split(': ').at(-1)).sort()).toEqual(['first', 'no notices', 'null']);
    expect(() => broadcast([failing(new Error('alone'))])(event)).not.toThrow();
  });
});
