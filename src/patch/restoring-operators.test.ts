import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { applyEdits } from '../harness/apply-patch.ts';
import type { Harness } from '../harness/harness.ts';
import { harnessFromFiles } from '../harness/parse-harness.ts';
import { type Task, taskHash } from '../task/task.ts';
import type { Trajectory, TrajectoryEvent } from '../trajectory/trajectory.ts';
import type { Cluster } from './aggregate.ts';
import { argumentsOfReferences } from './operators/arguments-of-references.ts';
import { dropSkill } from './operators/drop-skill.ts';
import { exchangePrompts } from './operators/exchange-prompts.ts';
import { memoryLimit } from './operators/memory-limit.ts';
import { outputLimit } from './operators/output-limit.ts';
import { removeLine } from './operators/remove-line.ts';
import { shortenDescription } from './operators/shorten-description.ts';
import { showField } from './operators/show-field.ts';
import { statedRepair } from './operators/stated-repair.ts';
import { stopStrings } from './operators/stop-strings.ts';
import { toolPurpose } from './operators/tool-purpose.ts';
import { toolsOfReferences } from './operators/tools-of-references.ts';
import type { OperatorContext, PatchOperator } from './patch-operator.ts';

const LOOKUP = `name: lookup
description: Finds a page.
parameters:
  type: object
  properties:
    page: { type: integer }
    kind: { type: string, enum: [short, long] }
  required: [page, kind]
backend: { kind: record }
`;
const SEND = `name: send
description: Sends a letter.
parameters: { type: object, properties: { text: { type: string } }, required: [text] }
backend: { kind: record }
`;

function harnessWith(files: Record<string, string> = {}): Harness {
  return harnessFromFiles(
    new Map(
      Object.entries({
        'harness.yaml': 'name: test\n',
        'prompts/system.md': 'Answer.\n{{tools}}\nNever answer.\n',
        'tools/lookup/tool.yaml': LOOKUP,
        'tools/send/tool.yaml': SEND,
        ...files,
      }),
    ),
  );
}

function taskCalling(index: number, tool: string, given: Record<string, unknown>): Task {
  const row = { id: `t${index}`, problem: `Do number ${index} with ${tool}.`, answer: index };
  return { ...row, hash: taskHash(row), group: `g${index}`, reference: { calls: [{ tool, arguments: given }] } };
}

const LOOKUPS = [1, 2, 3, 4].map((page) =>
  taskCalling(page, 'lookup', { page, kind: page % 2 === 0 ? 'short' : 'long' }),
);
const LETTERS = [5, 6, 7].map((index) => taskCalling(index, 'send', { text: `letter ${index}` }));

function drafts(operator: PatchOperator, harness: Harness, changes: Partial<OperatorContext> = {}) {
  return operator.propose({
    harness,
    clusters: [],
    trajectories: [],
    trainTasks: [...LOOKUPS, ...LETTERS],
    successes: [],
    random: seededRandom(1),
    refused: new Set(),
    demonstrations: [],
    ...changes,
  });
}

/** The harness after an operator's first draft. */
function mended(operator: PatchOperator, harness: Harness, changes: Partial<OperatorContext> = {}): Harness {
  const [first] = drafts(operator, harness, changes);
  if (first === undefined) throw new Error(`${operator.name} has nothing to propose`);
  return applyEdits(harness, first.edits);
}

function lookupOf({ tools }: Harness): unknown {
  return tools.find(({ name }) => name === 'lookup')?.parameters;
}

describe('arguments-of-references', () => {
  const intact = lookupOf(harnessWith());

  it.each([
    ['renamed', LOOKUP.replace('    page:', '    page_2:').replace('[page, kind]', '[page_2, kind]')],
    ['of another type', LOOKUP.replace('type: integer', 'type: string')],
    ['that the schema lacks', LOOKUP.replace('    page: { type: integer }\n', '').replace('[page, kind]', '[kind]')],
    ['required though nothing describes it', LOOKUP.replace('[page, kind]', '[page, kind, mode]')],
  ])('restores an argument %s', (_, text) => {
    expect(lookupOf(mended(argumentsOfReferences, harnessWith({ 'tools/lookup/tool.yaml': text })))).toMatchObject({
      properties: { page: { type: 'integer' }, kind: { type: 'string' } },
      required: expect.arrayContaining(['page', 'kind']),
    });
  });

  it('gives an enumeration the values that references use', () => {
    const harness = harnessWith({ 'tools/lookup/tool.yaml': LOOKUP.replace('[short, long]', '[short]') });
    expect(lookupOf(mended(argumentsOfReferences, harness))).toMatchObject({
      properties: { kind: { enum: ['long', 'short'] } },
    });
  });

  it('calls a tool as references call it', () => {
    const harness = harnessWith({ 'tools/lookup/tool.yaml': LOOKUP.replace('name: lookup', 'name: lookup_2') });
    expect(mended(argumentsOfReferences, harness).tools.map(({ name }) => name)).toContain('lookup');
  });

  it('describes the arguments of a tool whose schema describes none, and proposes nothing where none are given', () => {
    const bare = 'name: lookup\ndescription: Finds a page.\nparameters: { type: object }\nbackend: { kind: record }\n';
    const harness = harnessWith({ 'tools/lookup/tool.yaml': bare });
    expect(lookupOf(mended(argumentsOfReferences, harness))).toEqual({
      type: 'object',
      properties: { page: { type: 'integer' }, kind: { type: 'string' } },
      required: ['page', 'kind'],
    });
    const without = [1, 2, 3].map((index) => taskCalling(index, 'lookup', {}));
    expect(drafts(argumentsOfReferences, harness, { trainTasks: without })).toEqual([]);
  });

  it('has nothing to propose for a schema that takes every reference', () => {
    expect(intact).toBeDefined();
    expect(drafts(argumentsOfReferences, harnessWith())).toEqual([]);
  });
});

describe('tools-of-references', () => {
  it('offers a tool that references call and φ lacks, with their arguments, where all tools record', () => {
    const withoutSend = harnessWith();
    const files = new Map([...withoutSend.files].filter(([path]) => !path.startsWith('tools/send/')));
    const child = mended(toolsOfReferences, harnessFromFiles(files));
    expect(child.tools.find(({ name }) => name === 'send')).toMatchObject({
      parameters: { properties: { text: { type: 'string' } }, required: ['text'] },
      backend: { kind: 'record' },
    });
  });

  it('lets a tool that only records run the built-in of its name', () => {
    const text = SEND.replace('name: send', 'name: calculator');
    const child = mended(toolsOfReferences, harnessWith({ 'tools/calculator/tool.yaml': text }));
    expect(child.tools.find(({ name }) => name === 'calculator')?.backend).toEqual({
      kind: 'builtin',
      name: 'calculator',
    });
  });
});

describe('the repair that the evidence states', () => {
  const cluster: Cluster = {
    mechanism: 'said',
    component: 'prompt',
    path: null,
    label: 'prompt_ambiguity',
    explanation: '',
    count: 1,
    recurrence: 1,
    severity: 1,
    confidence: 1,
    agreement: 1,
    weight: 1,
    rollouts: [],
  };
  const repair = (old: string) => [{ path: 'prompts/system.md', old, value: 'Answer.\n{{tools}}\n' }];

  it('is proposed as it stands, and not at all where it does not fit the files', () => {
    const fitting = { ...cluster, repair: repair('Answer.\n{{tools}}\nNever answer.\n') };
    expect(mended(statedRepair, harnessWith(), { clusters: [fitting] }).prompts.system).toBe('Answer.\n{{tools}}');
    expect(drafts(statedRepair, harnessWith(), { clusters: [{ ...cluster, repair: repair('Other.\n') }] })).toEqual([]);
  });
});

describe('operators that mend one thing', () => {
  it('raise the output limit of a tool whose values were seen cut, and of no other', () => {
    const harness = harnessWith();
    const events = [
      {
        id: 'e0',
        atMs: 0,
        type: 'tool-returned',
        turn: 0,
        call: { tool: 'send', arguments: {} },
        value: '12… [1 more characters]',
      },
    ] as TrajectoryEvent[];
    expect(drafts(outputLimit, harness)).toEqual([]);
    const child = mended(outputLimit, harness, { trajectories: [{ events } as Trajectory] });
    expect(child.tools.map(({ name, limits }) => [name, limits.outputCharacters])).toEqual([
      ['lookup', 4_000],
      ['send', 16_000],
    ]);
  });

  it('let a prompt show its field again', () => {
    const harness = harnessWith({ 'prompts/tool-result.md': 'There it is.\n' });
    expect(mended(showField, harness).prompts['tool-result']).toBe('{{result}}');
    expect(drafts(showField, harnessWith())).toEqual([]);
  });

  it('give memory the room that facts and older results need', () => {
    const harness = harnessWith({
      'memory.yaml': 'facts: { tokens: 10 }\nstaleAfterTurns: 3\n',
      'memory/a.md': 'One.\n',
    });
    const limits = (mechanism: string, of = harness) =>
      drafts(memoryLimit, of, { clusters: [{ mechanism } as Cluster] }).map(({ edits }) => {
        const { memory } = applyEdits(of, edits);
        return [memory.facts.tokens, memory.staleAfterTurns];
      });
    expect(limits('facts-left-out')).toEqual([
      [20, 3],
      [80, 3],
    ]);
    expect(limits('results-shortened')).toEqual([
      [10, 6],
      [10, null],
    ]);
    expect(limits('results-shortened', harnessWith())).toEqual([]);
    expect(limits('no-call')).toEqual([]);
  });

  it('exchange two prompts where each holds what the other is for, and no others', () => {
    const texts = { system: 'Use the tools.\n{{tools}}\n', result: 'Seen: {{result}}\n' };
    const exchanged = harnessWith({ 'prompts/system.md': texts.result, 'prompts/tool-result.md': texts.system });
    const harness = mended(exchangePrompts, exchanged);
    expect([harness.prompts.system, harness.prompts['tool-result']]).toEqual([
      'Use the tools.\n{{tools}}',
      'Seen: {{result}}',
    ]);
    expect(drafts(exchangePrompts, exchanged)).toHaveLength(1);
    expect(drafts(exchangePrompts, harnessWith())).toEqual([]);
    const blind = harnessWith({ 'prompts/system.md': 'Use the tools.\n', 'prompts/tool-result.md': texts.result });
    expect(drafts(exchangePrompts, blind)).toEqual([]);
  });

  it('take one instruction out, the last one first, and never a line with a template field', () => {
    const texts = drafts(removeLine, harnessWith()).map(({ edits }) => edits[0]?.value);
    expect(texts).toEqual(['Answer.\n{{tools}}\n', '{{tools}}\nNever answer.\n']);
  });

  it('say for which problem a tool is, and which tasks that came from', () => {
    const [draft] = drafts(toolPurpose, harnessWith());
    expect(draft?.edits.map(({ value }) => value)).toEqual([
      'Finds a page. For example for: Do number 1 with lookup.',
      'Sends a letter. For example for: Do number 5 with send.',
    ]);
    expect(draft?.usesTasks).toEqual([LOOKUPS[0]?.hash, LETTERS[0]?.hash]);
  });

  it('reach a tool whose folder is called otherwise', () => {
    const files = new Map([...harnessWith().files].filter(([path]) => !path.startsWith('tools/')));
    files.set('tools/search/tool.yaml', LOOKUP.replace('enum: [short, long]', 'enum: [short]'));
    files.set('tools/post/tool.yaml', SEND);
    const harness = harnessFromFiles(files);
    expect(drafts(toolPurpose, harness)[0]?.edits.map(({ path }) => path)).toEqual([
      'tools/post/tool.yaml#/description',
      'tools/search/tool.yaml#/description',
    ]);
    expect(lookupOf(mended(argumentsOfReferences, harness))).toMatchObject({
      properties: { kind: { enum: ['long', 'short'] } },
    });
  });

  it('shorten a description to its first sentence', () => {
    const harness = harnessWith({ 'tools/send/tool.yaml': SEND.replace('letter.', 'letter. As JSON only.') });
    expect(mended(shortenDescription, harness).tools.map(({ description }) => description)).toEqual([
      'Finds a page.',
      'Sends a letter.',
    ]);
  });

  it('take out the lines of a skill that fill the window before the whole skill', () => {
    const harness = harnessWith({ 'skills/post/SKILL.md': `Seal it.\n${'long '.repeat(800)}\n` });
    expect(mended(dropSkill, harness).skills).toMatchObject([{ name: 'post', text: 'Seal it.' }]);
  });

  it('remove stop strings that cut something else than a call', () => {
    const harness = harnessWith({ 'harness.yaml': 'name: test\nprotocol: { stop: ["\\n"] }\n' });
    expect(mended(stopStrings, harness).settings.protocol.stop).toEqual([]);
  });
});
