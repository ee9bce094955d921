import { describe, expect, it } from 'vitest';
import { mapRow } from './map-row.ts';

const row = (solution: string, answer: string) => ({ id: 'a', problem: 'P?', answer, solution });

describe('mapRow', () => {
  it('runs the last step of a worked solution as Python', () => {
    expect(mapRow(row('48/2 = <<48/2=24>>24. 48+24 = <<48+24=72>>72.', '72'))).toEqual({
      id: 'a',
      problem: 'P?',
      answer: '72',
      reference: { calls: [{ tool: 'run_python', arguments: { code: 'print(48+24)' } }], text: '\\boxed{72}' },
    });
  });

  it('attaches no reference where Python would print another text than the answer', () => {
    for (const [solution, answer] of [
      ['<<48/2=24>>24', '24'],
      ['<<2*1.5=3>>3', '3'],
      ['no mark', '3'],
    ] as const)
      expect(mapRow(row(solution, answer))).toEqual({ id: 'a', problem: 'P?', answer });
  });

  it('keeps the date of publication, so that a run can tell what its weights may have seen', () => {
    const dated = { ...row('48+24 = <<48+24=72>>72', '72'), publishedOn: '2021-10' };
    expect(mapRow(dated)).toMatchObject({ publishedOn: '2021-10', reference: { text: '\\boxed{72}' } });
  });

  it('passes tasks through', () => {
    const task = { id: 'a', problem: 'P?', answer: '\\frac{1}{2}', publishedOn: '2025-02' };
    expect(mapRow(task)).toEqual(task);
  });
});
