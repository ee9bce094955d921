import { describe, expect, it } from 'vitest';
import type { ModelCall } from '../trajectory/model-calls.ts';
import { completionForm } from './completion-form.ts';

function call(asked: string, text: string): ModelCall {
  return { messages: [{ role: 'user', content: asked }], text } as ModelCall;
}

describe('the form of a rollout', () => {
  it('is equal for the same step on other values', () => {
    const one = call('Ann has 3 pears and 4 plums.', '{"sum": "3 + 4"}');
    const other = call('Bob has 1.5 litres and 20 cups.', '{"sum": "1.5 + 20"}');
    expect(completionForm([one])).toBe(completionForm([other]));
  });

  it('differs with signs and with words of its own', () => {
    const asked = 'Ann has 3 pears and 4 plums.';
    const forms = ['3 + 4', '3 - 4', 'the sum of 3 and 4', 'pears'].map((text) => completionForm([call(asked, text)]));
    expect(new Set(forms).size).toBe(4);
  });

  it('does not depend on which words were copied, nor on intermediate results', () => {
    const asked = 'Count the pears and the plums: 3 and 4.';
    expect(completionForm([call(asked, 'pears: 7')])).toBe(completionForm([call(asked, 'plums: 11')]));
  });

  it('tells one call from two, and reads the arguments of native calls', () => {
    expect(completionForm([call('a', 'b')])).not.toBe(completionForm([call('a', 'b'), call('a', 'b')]));
    const native = (sum: string) =>
      ({ ...call('3 4', ''), calls: [{ id: '1', name: 'f', arguments: sum }] }) as ModelCall;
    expect(completionForm([native('3+4')])).not.toBe(completionForm([native('3*4')]));
  });
});
