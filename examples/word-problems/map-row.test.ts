import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadTasks } from '../../src/task/load-tasks.ts';
import { infixOf } from './infix.ts';
import { mapRow } from './map-row.ts';

describe('infixOf', () => {
  it.each([
    ['* 56 9', '56 * 9'],
    ['+ - 3 2 5', '3 - 2 + 5'],
    ['- 3 + 2 5', '3 - (2 + 5)'],
    ['- 3 - 2 5', '3 - (2 - 5)'],
    ['/ + 50 60 2.0', '(50 + 60) / 2'],
    ['/ 8 * 2 2', '8 / (2 * 2)'],
    ['* 8 / 2.50 2', '8 * 2.5 / 2'],
  ])('turns %j into %j', (prefix, infix) => {
    expect(infixOf(prefix)).toBe(infix);
  });

  it('refuses text that is not one complete expression', () => {
    for (const prefix of ['+ 1', '1 2', '', '+ x 2']) expect(() => infixOf(prefix)).toThrow();
  });
});

describe('mapRow', () => {
  it('gives an equation in Polish notation as one calculator call', () => {
    expect(
      mapRow({ id: 'a', problem: 'P?', answer: '504', equation_prefix: '* 56 9', equation_ok: true, source: 's' }),
    ).toEqual({
      id: 'a',
      problem: 'P?',
      answer: '504',
      reference: { calls: [{ tool: 'calculator', arguments: { expression: '56 * 9' } }], text: 'The answer is 504.' },
    });
  });

  it('drops rows whose equation does not give their answer', () => {
    expect(mapRow({ id: 'a', problem: 'P?', answer: '5', equation_prefix: '* 56 9', equation_ok: false })).toBeNull();
  });

  it('gives each calculator mark of a worked solution as a call', () => {
    const solution = '48/2 = <<48/2=24>>24 in May. 48+24 = <<48+24=72>>72 altogether.';
    const task = mapRow({ id: 'a', problem: 'P?', answer: '72', solution });
    expect(task?.reference?.calls.map((call) => call.arguments.expression)).toEqual(['48/2', '48+24']);
  });

  it('attaches no reference where the last call does not give exactly the answer', () => {
    expect(mapRow({ id: 'a', problem: 'P?', answer: '0.3333', equation_prefix: '/ 1 3', equation_ok: true })).toEqual({
      id: 'a',
      problem: 'P?',
      answer: '0.3333',
    });
  });

  it('passes rows of the standard form through', () => {
    const row = { id: 'a', problem: 'P?', answer: '1', group: 'g' };
    expect(mapRow(row)).toEqual(row);
  });
});

const MAWPS = '../shared/data/mawps-asdiv-train/data.jsonl';
const GSM8K = '../shared/data/gsm8k/train.jsonl';

describe.skipIf(!existsSync(MAWPS) || !existsSync(GSM8K))(`mapRow on real data (needs ${MAWPS} and ${GSM8K})`, () => {
  it('reads every row of MAWPS/ASDiv but the 8 that contradict themselves, almost all with a reference', async () => {
    const { rows, dropped } = await loadTasks(MAWPS, { mapRow });
    expect([rows.length, dropped]).toEqual([3_130, 8]);
    expect(rows.filter(({ reference }) => reference === undefined).length).toBeLessThan(65);
  });

  it('reads every row of GSM8K, nine in ten with a reference', async () => {
    const { rows } = await loadTasks(GSM8K, { mapRow });
    expect(rows).toHaveLength(7_473);
    expect(rows.filter(({ reference }) => reference !== undefined).length).toBeGreaterThan(6_900);
  });
});
