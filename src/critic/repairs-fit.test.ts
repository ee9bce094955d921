import { describe, expect, it } from 'vitest';
import { pointerNames, valueAt } from '../base/json-pointer.ts';
import { applyEdits } from '../harness/apply-patch.ts';
import { type Repair, viewOf } from './case-rules/case-rule.ts';
import { CASE_RULES } from './case-rules/case-rules.ts';
import type { Case } from './cases/case.ts';
import { diagnoseCase } from './cases/diagnose-case.ts';
import { plainCaseSchema, readPlainCase } from './cases/read-plain-case.ts';
import { developmentCases } from './development-cases.fixture.ts';
import { harnessDefects } from './harness-defects/harness-defects.ts';
import { factsOfHarness } from './harness-facts/facts-of-harness.ts';
import { HARNESS } from './rollout.fixture.ts';

type Json = Record<string, unknown>;

const ASK = { role: 'user', content: 'What is the weather in Lyon?' };
const calling = (name: string, given: object = { city: 'Lyon' }) => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ function: { name, arguments: JSON.stringify(given) } }],
});
const back = (content: string) => ({ role: 'tool', content });
const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const WEATHER = { name: 'get_weather', description: 'Weather of a city.', parameters: PARAMETERS };
const PROMPT = 'You answer questions on the weather with the tools you have, in one short sentence.';

function caseWith(harness: unknown, ...steps: object[]): Case {
  const run = { task: ASK.content, harness, steps: [ASK, ...steps], outcome: 'fail' };
  return readPlainCase(plainCaseSchema.parse({ id: 'c', trace: { runs: [run] } }), 'c');
}

/** The same tool in the spellings in which harnesses of others have it. */
const SPELLINGS: [string, unknown][] = [
  ['a list of tools', [WEATHER]],
  ['OpenAI functions', [{ type: 'function', function: WEATHER }]],
  ['tools by name', { get_weather: { description: WEATHER.description, parameters: PARAMETERS } }],
  ['descriptions by name', { get_weather: WEATHER.description }],
  ['bare names', ['get_weather']],
  ['other words for name and description', [{ id: 'get_weather', doc: 'Weather of a city.', args: ['city'] }]],
  ['no description', [{ name: 'get_weather', parameters: { city: 'str' } }]],
];
const TROUBLES: [string, object[]][] = [
  ['a misspelled tool', [calling('get_wether'), back('Error: unknown tool get_wether')]],
  ['an argument refused', [calling('get_weather', { town: 'Lyon' }), back('Error 400: unknown argument town')]],
  ['a value refused', [calling('get_weather'), back('Error 400: invalid value for city')]],
  ['one page of several', [calling('get_weather'), back('showing 10 of 90')]],
  ['a repeated call', [calling('get_weather'), back('Error'), calling('get_weather'), back('Error')]],
  ['passing trouble', [calling('get_weather'), back('503 unavailable, try again')]],
  ['a note of the loop', [calling('get_weather'), { role: 'hook', content: 'aborted by the loop' }]],
  ['a routine not found', [calling('get_weather'), back('no such skill: forecast')]],
];
const EXTRAS: Json[] = [
  {},
  { retry: false, middleware: [{ name: 'shortener' }], skills: {} },
  { retry: { max_attempts: 3 }, loop: { on_error: 'abort', max_steps: 4 }, skills: null },
  { retries: 3, hooks: ['mask'], playbooks: [{ name: 'p', text: 'First look, then answer.' }] },
  { skills: '', system: { prompt: 'Call get_wether for the weather.' } },
];
/** Every spelling with every trouble, and each of the two with every extra. */
const VARIED = SPELLINGS.flatMap(([spelling, tools], row) =>
  TROUBLES.flatMap(([trouble, steps], column) =>
    [0, 2].map((shift) => {
      const extra = (row + column + shift) % EXTRAS.length;
      return {
        name: `${spelling}, ${trouble}, extra ${extra}`,
        case: caseWith({ system_prompt: PROMPT, tools, ...EXTRAS[extra] }, ...steps),
      };
    }),
  ),
);
const WITHOUT_PLACES = [null, 'You are a helper.', {}, []].flatMap((harness) =>
  TROUBLES.map(([trouble, steps]) => ({
    name: `${JSON.stringify(harness)}, ${trouble}`,
    case: caseWith(harness, ...steps),
  })),
);
const CASES = [
  ...developmentCases().map(({ case: subject }) => ({ name: subject.id, case: subject })),
  ...VARIED,
  ...WITHOUT_PLACES,
];

/** The harness with one repair made by the book of docs/formats.md, and nothing else. Throws where that cannot be done. */
function repaired(harness: unknown, { path, new: value }: Repair): unknown {
  const holder = { harness: structuredClone(harness ?? {}) };
  const names = ['harness', ...pointerNames(path)];
  const last = names.pop() as string;
  const around = names.reduce<unknown>((inner, name) => (inner as Json)[name], holder);
  if (typeof around !== 'object' || around === null) throw new Error(`nothing at ${path} can be changed`);
  if (!Array.isArray(around)) {
    if (value === null) delete (around as Json)[last];
    else (around as Json)[last] = value;
  } else if (last === '-' || Number(last) >= around.length) around.push(value);
  else if (value === null) around.splice(Number(last), 1);
  else around[Number(last)] = value;
  return JSON.parse(JSON.stringify(holder)).harness;
}

function expectToFit(repair: Repair, harness: unknown): void {
  expect(repair.old, repair.path).toEqual(valueAt(harness, repair.path) ?? null);
  const after = repaired(harness, repair);
  if (repair.new === null) return;
  const path = repair.path.endsWith('/-')
    ? repair.path.replace(/-$/, String((valueAt(harness, repair.path.slice(0, -2)) as unknown[]).length))
    : repair.path;
  expect(valueAt(after, path)).toEqual(repair.new);
  const isNew = valueAt(harness, path) === undefined;
  const mark = { path, old: null, new: isNew ? null : '…' };
  expect(repaired(after, mark)).toEqual(isNew ? (harness ?? {}) : repaired(harness, mark));
}

/** What stands in a place keeps its kind: a list of tools is not mended by a sentence in its stead. */
function expectToKeepStructure({ path, old, new: value }: Repair): void {
  if (typeof old !== 'object' || old === null || value === null) return;
  expect(typeof value, path).toBe('object');
  expect(Array.isArray(value), path).toBe(Array.isArray(old));
}

describe('a repair', () => {
  it.each(CASES.map(({ name, case: subject }) => [name, subject] as const))(
    'of case %s can be made as it says, and changes that place alone',
    (_name, subject) => {
      const view = viewOf(subject);
      const clues = CASE_RULES.flatMap((rule) => rule.clues(view));
      for (const { repair } of [...clues, diagnoseCase(subject)]) {
        for (const edit of repair ?? []) {
          expectToFit(edit, view.harness);
          expectToKeepStructure(edit);
        }
      }
    },
  );

  it('of a defect of our own φ is an edit that φ takes', () => {
    const tool = (name: string) =>
      `name: ${name}\ndescription: Finds.\nparameters: { type: object, properties: { key: { type: string } } }\nbackend: { kind: record }\n`;
    const shown = (name: string) =>
      `problem: Find 7.\nsteps:\n  - call: { tool: ${name}, arguments: { key: "7" } }\n    result: "7"\n`;
    for (const file of [tool('lookup'), tool('lookup').replace(/name:.*\n/, '')]) {
      const broken = applyEdits(HARNESS, [
        ...[...HARNESS.files]
          .filter(([path]) => /^(tools|examples)\//.test(path))
          .map(([path, old]) => ({ path, old })),
        { path: 'tools/lookup/tool.yaml', value: file },
        { path: 'examples/one.yaml', value: shown('look_up') },
      ]);
      const renamed = harnessDefects(factsOfHarness(broken)).find(({ mechanism }) => mechanism === 'tool-renamed');
      expect(applyEdits(broken, renamed?.repair ?? []).tools.map(({ name }) => name)).toEqual(['look_up']);
    }
  });
});

describe('a call of a tool by another name', () => {
  const [, , ...misspelled] = caseWith({}, ...(TROUBLES[0]?.[1] ?? [])).runs[0]?.steps ?? [];
  const verdictOf = (harness: Json) =>
    diagnoseCase(caseWith(harness, calling('get_wether'), ...misspelled.map(({ content }) => back(content))));

  it('renames nothing where the name is the model’s own slip: the description gets the right one', () => {
    for (const [tools, place] of [
      [[WEATHER], '/tools/0/description'],
      [[{ type: 'function', function: WEATHER }], '/tools/0/function/description'],
    ] as const) {
      expect(verdictOf({ system_prompt: PROMPT, tools }).repair).toEqual([
        {
          path: place,
          old: 'Weather of a city.',
          new: 'Weather of a city. Its name is spelled exactly "get_weather".',
        },
      ]);
    }
  });

  it('renames the tool, at its name, where prompt or examples use that name and never the offered one', () => {
    const examples = [{ problem: 'Weather in Nice?', call: { name: 'get_wether', arguments: { city: 'Nice' } } }];
    expect(
      verdictOf({ system_prompt: PROMPT, tools: [{ type: 'function', function: WEATHER }], examples }).repair,
    ).toEqual([{ path: '/tools/0/function/name', old: 'get_weather', new: 'get_wether' }]);
  });

  it('renames no tool that φ also calls by the offered name', () => {
    const system_prompt = `${PROMPT} Use the tool "get_wether". Call the tool "get_weather" with a city.`;
    const paths = verdictOf({ system_prompt, tools: [WEATHER] }).repair?.map(({ path }) => path);
    expect(paths).not.toContain('/tools/0/name');
  });
});
