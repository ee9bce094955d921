import { describe, expect, it } from 'vitest';
import { nearest } from './nearest.ts';

describe('nearest', () => {
  it('finds the word that was meant behind a typing error: a letter missing, added, changed, or two swapped', () => {
    const known = ['rule', 'alpha', 'margin'];
    expect(['alph', 'alphaa', 'alpga', 'aplha', 'ALPHA'].map((word) => nearest(word, known))).toEqual(
      new Array(5).fill('alpha'),
    );
  });

  it('suggests nothing when more than a third of the word would have to change', () => {
    expect(nearest('alxyz', ['alpha'])).toBeUndefined();
    expect(nearest('abcd', ['ab'])).toBeUndefined();
    expect(nearest('anything', [])).toBeUndefined();
  });
});
