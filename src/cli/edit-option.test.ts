import { describe, expect, it } from 'vitest';
import { harnessFromFiles } from '../harness/parse-harness.ts';
import { editedByOptions } from './edit-option.ts';

const HARNESS = harnessFromFiles(
  new Map([
    ['harness.yaml', 'name: sums\nsampling: { temperature: 0 }\n'],
    ['prompts/system.md', 'Add numbers.\n'],
  ]),
);
const edited = (...options: string[]) => editedByOptions(HARNESS, options);

describe('edits of φ on the command line', () => {
  it('are values at a place, also a new one, and whole files; later ones see what earlier ones did', () => {
    const { settings, prompts, middleware } = edited(
      'harness.yaml#/sampling/temperature=0.7',
      'harness.yaml#/answer/from="tool"',
      'prompts/system.md="Add = sums.\\n"',
      'middleware/10-x.yaml="kind: verification-turn\\n"',
    );
    expect(settings.sampling.temperature).toBe(0.7);
    expect(settings.answer.from).toBe('tool');
    expect(prompts.system).toContain('Add = sums.');
    expect(middleware.map(({ id }) => id)).toEqual(['10-x']);
    expect(edited().hash).toBe(HARNESS.hash);
  });

  it.each([
    ['no form', 'temperature', /expected FILE#\/POINTER=JSON or FILE="TEXT"/],
    ['no JSON', 'prompts/system.md=Add.', /Add\. is no JSON; text stands in quotes/],
    ['a file that is no text', 'harness.yaml=5', /a whole file is text in quotes/],
    ['nothing new', 'harness.yaml#/sampling/temperature=0', /leave the harness as it is/],
  ])('are refused where they have %s', (_what, option, message) => {
    expect(() => edited(option)).toThrow(message);
  });
});
