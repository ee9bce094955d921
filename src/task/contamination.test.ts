import { describe, expect, it } from 'vitest';
import { contaminationText, possiblySeen } from './contamination.ts';

describe('possiblySeen', () => {
  it('counts the tasks that were public when the weights were released', () => {
    const tasks = [{ publishedOn: '2024-02' }, { publishedOn: '2025-02' }, { publishedOn: '2025-06' }, {}];
    expect(possiblySeen(tasks, '2025-04')).toEqual({
      tasks: 2,
      of: 4,
      from: '2024-02',
      to: '2025-02',
      released: '2025-04',
    });
  });

  it('counts the same month, and compares a year with a day as far as both are known', () => {
    expect(possiblySeen([{ publishedOn: '2025-04' }], '2025-04')?.tasks).toBe(1);
    expect(possiblySeen([{ publishedOn: '2025' }], '2025-04-29')?.tasks).toBe(1);
    expect(possiblySeen([{ publishedOn: '2025-05-01' }], '2025-04')).toBeNull();
  });

  it('says nothing where a date is not known', () => {
    expect(possiblySeen([{ publishedOn: '2024-02' }], undefined)).toBeNull();
    expect(possiblySeen([{}, {}], '2025-04')).toBeNull();
  });

  it('becomes a sentence with counts and dates', () => {
    const text = contaminationText(
      { tasks: 30, of: 90, from: '2024-02', to: '2024-02', released: '2025-04' },
      'test tasks',
    );
    expect(text).toMatch(/^30 of 90 test tasks were published in 2024-02, the weights in 2025-04: they may/);
  });
});
