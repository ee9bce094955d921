import { describe, expect, it } from 'vitest';
import { leakScanner, overlaps } from './problem-ngrams.ts';

const task = {
  id: 'set-12',
  problem: 'A ferry carries 38 cars and 114 passengers across the wide bay every morning. How many wheels is that?',
  answer: '152',
};

describe('overlaps', () => {
  it('sees eight words in a row of the problem, whatever case and punctuation', () => {
    expect(overlaps('Example: "a FERRY carries 38 cars, and 114 passengers!"', task)).toBe(true);
    expect(overlaps('A ferry carries 38 cars and nothing else', task)).toBe(false);
  });

  it('sees five words in a row beside the answer', () => {
    expect(overlaps('If passengers across the wide bay are meant, reply 152.', task)).toBe(true);
    expect(overlaps('If passengers across the wide bay are meant, reply 1520.', task)).toBe(false);
    expect(overlaps('Reply 152.', task)).toBe(false);
  });

  it('sees the id as a word of its own, but does not look for ids that stand in any text', () => {
    expect(overlaps('skip set-12 please', task)).toBe(true);
    expect(overlaps('skip set-123 please', task)).toBe(false);
    expect(overlaps('skip 12 please', { ...task, id: '12' })).toBe(false);
  });

  it('takes all words of a problem that is shorter than eight', () => {
    const short = { id: 'x', problem: 'Compute the factorial of 5', answer: '120' };
    expect(overlaps('Always compute the factorial of 5 first.', short)).toBe(true);
    expect(overlaps('Always compute the factorial of 6 first.', short)).toBe(false);
  });
});

describe('leakScanner', () => {
  it('finds the hidden tasks that a text gives away, with the reason and the words', () => {
    const scan = leakScanner([
      task,
      { id: 'other-1', problem: 'Which planet is the largest one of them all, Jupiter or Saturn?', answer: 'Jupiter' },
    ]);
    expect(scan('Remember: which planet is the largest one of them all')).toEqual([
      { task: 'other-1', why: 'problem', quote: 'which planet is the largest one of them' },
    ]);
    expect(scan('Think step by step.')).toEqual([]);
  });

  it('takes wording that open tasks share for no evidence', () => {
    const open = [
      { id: 'train-1', problem: 'Lea had 9 eggs. How many eggs does she have left in all now?', answer: '4' },
    ];
    const hidden = [
      { id: 'gate-1', problem: 'Ida had 7 hens. How many eggs does she have left in all now?', answer: '9' },
    ];
    const example = 'Lea had 9 eggs. How many eggs does she have left in all now?';
    expect(leakScanner(hidden)(example)).toHaveLength(1);
    expect(leakScanner(hidden, open)(example)).toEqual([]);
    expect(leakScanner(hidden, open)('Ida had 7 hens. How many eggs does she have left in all now?')).toHaveLength(1);
  });
});
