import { describe, expect, it } from 'vitest';
import { applyEdits } from './apply-patch.ts';
import { harnessFromFiles } from './parse-harness.ts';

function harness(files: Record<string, string>) {
  return harnessFromFiles(new Map(Object.entries({ 'harness.yaml': 'name: demo\n', ...files })));
}

describe('middleware files', () => {
  it('run in the order of their names, with the defaults of their kind', () => {
    const { middleware } = harness({
      'middleware/20-cap.yaml': 'kind: output-cap\noptions: { headCharacters: 9 }\n',
      'middleware/10-nudge.yaml': 'kind: void-turn-nudge\n',
    });
    expect(middleware.map(({ id }) => id)).toEqual(['10-nudge', '20-cap']);
    expect(middleware[1]?.options).toEqual({ headCharacters: 9, tailCharacters: 300 });
  });

  it.each([
    [
      'an unknown kind',
      'kind: loop-braker\n',
      /10-x\.yaml.*\n.*kind: unknown kind "loop-braker"\. Did you mean "loop-breaker"\?/,
    ],
    [
      'an unknown option',
      'kind: loop-breaker\noptions: { run: 2 }\n',
      /options\.run: .*Did you mean "runs"\? Known here: runs, message/,
    ],
    ['an option of another type', 'kind: loop-breaker\noptions: { runs: many }\n', /options\.runs: /],
    [
      'a pattern that cannot be read',
      'kind: self-check\noptions: { pattern: "(a" }\n',
      /options\.pattern: .*not closed/,
    ],
    [
      'an unknown field beside them',
      'kind: loop-breaker\noption: {}\n',
      /option: unknown field\. Did you mean "options"\?/,
    ],
    [
      'code that is not there',
      'kind: js\noptions: { entry: 10-y.js }\n',
      /options\.entry: there is no code file middleware\/10-y\.js/,
    ],
  ])('are refused for %s, with file and field', (_case, text, message) => {
    expect(() => harness({ 'middleware/10-x.yaml': text })).toThrow(message);
  });

  it('a code file alone is a js middleware; one that a YAML file names is the code of that one', () => {
    const files = { 'middleware/10-a.js': 'one', 'middleware/20-b.js': 'two' };
    expect(harness(files).middleware.map(({ id, code }) => [id, code])).toEqual([
      ['10-a', 'one'],
      ['20-b', 'two'],
    ]);
    const named = harness({
      ...files,
      'middleware/30-c.yaml': 'kind: js\noptions: { entry: 20-b.js, hooks: [finish] }\n',
    });
    expect(named.middleware.map(({ id, code }) => [id, code])).toEqual([
      ['10-a', 'one'],
      ['30-c', 'two'],
    ]);
  });

  it('a diff may change an option that the file leaves to its default', () => {
    const before = harness({ 'middleware/10-x.yaml': 'kind: loop-breaker\n' });
    const after = applyEdits(before, [{ path: 'middleware/10-x.yaml#/options', old: undefined, value: { runs: 2 } }]);
    expect(after.middleware[0]?.options).toMatchObject({ runs: 2 });
    const path = 'middleware/10-x.yaml#/options/runs';
    const again = applyEdits(after, [{ path, old: 2, value: 3 }]);
    expect(again.middleware[0]?.options).toMatchObject({ runs: 3 });
  });
});
