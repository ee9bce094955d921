import { describe, expect, it } from 'vitest';
import { harnessFromFiles } from '../harness/parse-harness.ts';
import { harnessDefects } from './harness-defects/harness-defects.ts';
import { factsOfHarness } from './harness-facts/facts-of-harness.ts';
import { factsOfJson } from './harness-facts/facts-of-json.ts';

const TOOL = {
  name: 'find_book',
  description: 'Finds a book by title.',
  parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
};
const OTHER = {
  name: 'lend',
  description: 'Lends a book to a reader.',
  parameters: { type: 'object', properties: { reader: { type: 'string' } }, required: ['reader'] },
};
const BASE = {
  system_prompt: 'You help in a library. Use the tool find_book before you answer. Reply with the title only.',
  tools: [TOOL, OTHER],
};

const defectsOf = (harness: unknown) =>
  harnessDefects(factsOfJson(harness)).filter(({ confidence }) => confidence >= 0.5);

/** Each row: mechanism, label, path, a harness that has it, and the nearest one that does not. */
const ROWS: [string, string, string, unknown, unknown][] = [
  [
    'contradictory-instructions',
    'prompt_ambiguity',
    '/system_prompt',
    { ...BASE, system_prompt: `${BASE.system_prompt} Never reply with the title only.` },
    { ...BASE, system_prompt: `${BASE.system_prompt} If no book fits, do not reply with a title.` },
  ],
  [
    'contradictory-instructions',
    'prompt_ambiguity',
    '/system_prompt',
    { ...BASE, system_prompt: `${BASE.system_prompt} Ignore the instructions above.` },
    { ...BASE, system_prompt: `${BASE.system_prompt} Ignore typing errors in titles.` },
  ],
  [
    'contradictory-instructions',
    'prompt_ambiguity',
    '/style',
    { ...BASE, prompt: 'Answer in JSON.', style: { rules: 'Write the answer as plain text.' } },
    { ...BASE, prompt: 'Answer in JSON, not in plain text.', style: { rules: 'Keep the JSON small.' } },
  ],
  [
    'tool-renamed',
    'tool_schema_error',
    '/tools/0',
    { ...BASE, tools: [{ ...TOOL, name: 'find_book_2' }, OTHER] },
    BASE,
  ],
  [
    'tool-missing',
    'tool_schema_error',
    '/tools',
    { ...BASE, tools: [OTHER], system_prompt: 'Use the tool scan_shelf first.' },
    { ...BASE, system_prompt: 'You help in a library. Reply with the title only.', tools: [OTHER] },
  ],
  [
    'prompt-names-wrong-tool',
    'prompt_ambiguity',
    '/system_prompt',
    {
      ...BASE,
      system_prompt: BASE.system_prompt.replace('find_book', 'find_bok'),
      examples: [{ problem: 'x', call: { name: 'find_book', arguments: { title: 'x' } } }],
    },
    { ...BASE, examples: [{ problem: 'x', call: { name: 'find_book', arguments: { title: 'x' } } }] },
  ],
  [
    'schema-forbids-shown-call',
    'tool_schema_error',
    '/tools/0/parameters/properties',
    { ...BASE, examples: [{ problem: 'x', call: { name: 'find_book', arguments: { name: 'x' } } }] },
    { ...BASE, examples: [{ problem: 'x', call: { name: 'find_book', arguments: { title: 'x' } } }] },
  ],
  [
    'impossible-schema',
    'tool_schema_error',
    '/tools/0/parameters/required',
    { ...BASE, tools: [{ ...TOOL, parameters: { ...TOOL.parameters, required: ['name'] } }, OTHER] },
    BASE,
  ],
  [
    'impossible-schema',
    'tool_schema_error',
    '/tools/0/parameters/properties/title',
    {
      ...BASE,
      tools: [
        { ...TOOL, parameters: { type: 'object', properties: { title: { type: 'integer', enum: ['a', 'b'] } } } },
        OTHER,
      ],
    },
    {
      ...BASE,
      tools: [
        { ...TOOL, parameters: { type: 'object', properties: { title: { type: 'string', enum: ['a', 'b'] } } } },
        OTHER,
      ],
    },
  ],
  [
    'no-tool-description',
    'tool_schema_error',
    '/tools/0/description',
    { ...BASE, tools: [{ ...TOOL, description: '' }, OTHER] },
    BASE,
  ],
  [
    'shared-tool-description',
    'tool_schema_error',
    '/tools/0/description',
    { ...BASE, tools: [{ ...TOOL, description: OTHER.description }, OTHER] },
    BASE,
  ],
  [
    'swapped-tool-description',
    'tool_schema_error',
    '/tools/0/description',
    {
      ...BASE,
      tools: [
        { ...TOOL, description: 'Lends to a reader.' },
        { ...OTHER, description: 'Finds by title.' },
      ],
    },
    {
      ...BASE,
      tools: [
        { ...TOOL, description: 'Finds by title.' },
        { ...OTHER, description: 'Lends to a reader.' },
      ],
    },
  ],
  [
    'skill-is-empty',
    'skill_missing',
    '/skills/search',
    { ...BASE, skills: { search: '' } },
    { ...BASE, skills: { search: 'Try the whole title first, then its longest word.' } },
  ],
  [
    'skill-named-but-missing',
    'skill_missing',
    'skills',
    { ...BASE, system_prompt: `${BASE.system_prompt} Follow the routine book-search.` },
    {
      ...BASE,
      system_prompt: `${BASE.system_prompt} Follow the routine book-search.`,
      skills: { 'book-search': 'Try the whole title first.' },
    },
  ],
  [
    'time-limit-cannot-fire',
    'middleware_mismatch',
    '/limits/tool_timeout_s',
    { ...BASE, limits: { total_time_s: 60, tool_timeout_s: 120 } },
    { ...BASE, limits: { total_time_s: 60, tool_timeout_s: 10 } },
  ],
  [
    'inconsistent-argument-type',
    'tool_schema_error',
    '/tools/0/parameters/properties/id/type',
    {
      tools: ['integer', 'string', 'string'].map((type, index) => ({
        name: `t${index}`,
        description: `Does ${index}.`,
        parameters: { type: 'object', properties: { id: { type } } },
      })),
    },
    {
      tools: ['integer', 'string'].map((type, index) => ({
        name: `t${index}`,
        description: `Does ${index}.`,
        parameters: { type: 'object', properties: { id: { type } } },
      })),
    },
  ],
  [
    'example-solves-another-problem',
    'prompt_ambiguity',
    '/examples/0',
    {
      ...BASE,
      examples: [{ problem: 'Find the red book', call: { name: 'find_book', arguments: { title: 'green tree 7' } } }],
    },
    {
      ...BASE,
      examples: [{ problem: 'Find the green book', call: { name: 'find_book', arguments: { title: 'green tree 7' } } }],
    },
  ],
  [
    'conflicting-examples',
    'prompt_ambiguity',
    '/examples/1',
    {
      ...BASE,
      examples: [
        { problem: 'same', answer: 'one' },
        { problem: 'same', answer: 'two' },
      ],
    },
    {
      ...BASE,
      examples: [
        { problem: 'same', answer: 'one' },
        { problem: 'other', answer: 'two' },
      ],
    },
  ],
];

describe('harness defects', () => {
  it.each(ROWS)('%s (%s) is seen at %s', (mechanism, label, path, harness) => {
    const found = defectsOf(harness).find((defect) => defect.mechanism === mechanism);
    expect(found).toMatchObject({ label });
    expect(found?.path.startsWith(path)).toBe(true);
    expect(found?.quotes.length).toBeGreaterThan(0);
  });

  it.each(ROWS)('%s is not seen in the nearest harness without it', (mechanism, _label, _path, _harness, near) => {
    expect(defectsOf(near).map((defect) => defect.mechanism)).not.toContain(mechanism);
  });

  it('finds nothing in a harness that means what it says', () => {
    expect(defectsOf(BASE)).toEqual([]);
  });

  it('finds nothing, and does not throw, in JSON that is no harness', () => {
    for (const harness of [
      null,
      3,
      '',
      [],
      {},
      { a: { b: [1, null, { c: true }] } },
      { tools: 'none' },
      { tools: [null, 3] },
    ]) {
      expect(defectsOf(harness)).toEqual([]);
    }
  });

  it('takes a folder and a name that differ for half a renaming, unless all differ', () => {
    const own = (names: [string, string][]) =>
      factsOfHarness(
        harnessFromFiles(
          new Map([
            ['harness.yaml', 'name: x\n'],
            ...names.map(([folder, name]): [string, string] => [
              `tools/${folder}/tool.yaml`,
              `name: ${name}\ndescription: Does ${name}.\nparameters: {type: object}\nbackend: {kind: record}\n`,
            ]),
          ]),
        ),
      );
    const found = (names: [string, string][]) => harnessDefects(own(names)).map(({ mechanism }) => mechanism);
    expect(
      found([
        ['open', 'open'],
        ['shut', 'close'],
      ]),
    ).toContain('tool-named-otherwise');
    expect(
      found([
        ['a', 'open'],
        ['b', 'close'],
        ['c', 'turn'],
      ]),
    ).not.toContain('tool-named-otherwise');
  });

  it('gives examples that solve each other’s problems their own back, and guesses at nothing else', () => {
    const repairsOf = (problems: string[], sums: string[]) => {
      const files = sums.map((sum, index): [string, string] => [
        `examples/${index}.yaml`,
        `problem: ${problems[index]}\nsteps: [{ call: { tool: add, arguments: { sum: "${sum}" } }, result: "0" }]\n`,
      ]);
      const harness = harnessFromFiles(new Map([['harness.yaml', 'name: x\n'], ...files]));
      return harnessDefects(factsOfHarness(harness))
        .filter(({ mechanism }) => mechanism === 'example-solves-another-problem')
        .map(({ repair }) => repair);
    };
    const turned = ['Add 30 and 41.', 'Add 52 and 63.', 'Add 10 and 27.'];
    const mended = turned.map((old, index) => ({
      path: `examples/${index}.yaml#/problem`,
      old,
      value: [turned[2], turned[0], turned[1]][index],
    }));
    expect(repairsOf(turned, ['10 + 27', '30 + 41', '52 + 63'])).toEqual([mended, mended, mended]);
    expect(repairsOf(['Add 30 and 41.', 'Add 52 and 63.'], ['10 + 27', '30 + 41'])).toEqual([null, null]);
    expect(repairsOf(['Add 30 and 41.'], ['10 + 27'])).toEqual([null]);
    const strange = repairsOf([...turned, 'Add 5 and 6.'], ['10 + 27', '30 + 41', '52 + 63', '88 + 99']);
    expect(strange).toEqual([mended, mended, mended, null]);
  });

  it('repairs a contradiction by taking one sentence out, and keeps the rest', () => {
    const [defect] = defectsOf({ ...BASE, system_prompt: `${BASE.system_prompt} Never reply with the title only.` });
    expect(defect?.repair).toEqual([
      {
        path: '/system_prompt',
        old: `${BASE.system_prompt} Never reply with the title only.`,
        value: BASE.system_prompt,
      },
    ]);
  });
});
