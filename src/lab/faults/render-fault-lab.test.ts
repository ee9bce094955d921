import { describe, expect, it } from 'vitest';
import { renderFaultLab } from './render-fault-lab.ts';
import type { FaultLabResult } from './run-fault-lab.ts';
import { scoreAttributions } from './score-attributions.ts';

const truth = { label: 'tool_schema_error', component: 'tool' } as const;
const rowOf = (more: Partial<FaultLabResult>): FaultLabResult => ({
  critic: 'evidence',
  replay: true,
  actor: 'scripted',
  split: 'heldOut',
  groups: 12,
  cost: { modelCalls: 123_456, tokens: 0 },
  ...scoreAttributions([
    { truth, label: 'tool_schema_error', component: 'tool', isPatched: true },
    { truth, label: null, component: null, isPatched: false },
  ]),
  ...more,
});
const render = (results: FaultLabResult[]) =>
  renderFaultLab({ schema: 'co-harness/lab-faults@1', kinds: { development: ['a', 'b'], heldOut: ['c'] }, results });

describe('the fault lab as text', () => {
  it('says how many of how many were right, with the interval, once a row', () => {
    expect(render([rowOf({})])).toContain(
      '  evidence + replay (scripted): 2 failures of 12 harnesses\n    label right 1 of 2 (50%, 95% 9% to 91%)\n',
    );
  });

  it('keeps the splits apart', () => {
    const text = render([rowOf({ split: 'development' }), rowOf({})]);
    expect(text.indexOf('Development kinds')).toBeLessThan(text.indexOf('Held-out kinds'));
    expect(render([rowOf({})])).not.toContain('Development kinds');
  });

  it('fits 80 columns, with the name of a critic and every number whole', () => {
    const lines = render([rowOf({})]).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    const [cells] = lines.filter((line) => line.includes('123456'));
    expect(cells?.split(/ {2,}/)).toEqual(['evidence + replay (scripted)', '0.67', '0.50', '0.50', '–', '123456']);
    expect(lines.join('\n')).not.toContain('…');
  });

  it('shortens the name of a reader with its command line in the tables alone', () => {
    const text = render([rowOf({ critic: 'command:judge --strictly --with-care' })]);
    expect(text).toContain('command:judge --strictly --with-care + replay (scripted): 2 failures');
    expect(text).toContain('command:judge --strictly --w…');
  });
});
