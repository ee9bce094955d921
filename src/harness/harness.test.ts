import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { CoHarnessError } from '../base/errors.ts';
import { applyEdits } from './apply-patch.ts';
import { componentOfPath } from './component-of-path.ts';
import { diffHarness } from './diff-harness.ts';
import { readHarness, writeHarness } from './harness-folder.ts';
import { harnessFromFiles } from './parse-harness.ts';

const LOOKUP_TOOL = `# looks things up
name: lookup
description: Finds an entry. # shown to the model
parameters:
  type: object
  properties: { key: { type: string } }
  required: [key]
backend: { kind: record }
`;

function harness(files: Record<string, string> = {}) {
  return harnessFromFiles(new Map(Object.entries({ 'harness.yaml': 'name: demo\n', ...files })));
}

function errorOf(action: () => unknown): CoHarnessError {
  try {
    action();
  } catch (error) {
    if (CoHarnessError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('expected a CoHarnessError, but nothing was thrown');
}

describe('a harness is read from its files', () => {
  it('needs only a name; everything else has a default', () => {
    const { settings, prompts, retry, memory } = harness();
    expect(settings).toMatchObject({ name: 'demo', votes: 1, finalTurn: true, answer: { from: 'text' } });
    expect(settings.protocol.dialect).toEqual({ kind: 'json', open: '', close: '', body: 'call' });
    expect(prompts.task).toBe('{{problem}}');
    expect(retry.modelErrors).toBeGreaterThan(0);
    expect(memory.historyTokens).toBeNull();
  });

  it('has a place for every component kind', () => {
    const full = harness({
      'prompts/system.md': 'Be brief.\n',
      'examples/one.yaml': stringify({
        problem: 'p',
        steps: [{ call: { tool: 'lookup', arguments: {} }, result: 'r' }, { text: 't' }],
      }),
      'tools/lookup/tool.yaml': LOOKUP_TOOL,
      'tools/lookup/lookup.js': 'code',
      'skills/plan/SKILL.md': '---\nname: plan\n---\nPlan first.\n',
      'middleware/10-cap.yaml': 'kind: output-cap\noptions: { headCharacters: 3 }\n',
      'memory.yaml': 'historyTokens: 500\n',
      'retry.yaml': 'parseErrors: 0\n',
    });
    expect(full.prompts.system).toBe('Be brief.');
    expect(full.examples[0]).toMatchObject({ name: 'one', fromTasks: [], steps: [{ result: 'r' }, { text: 't' }] });
    expect(full.skills).toMatchObject([{ name: 'plan', text: 'Plan first.', load: 'always' }]);
    expect(full.middleware).toEqual([
      { id: '10-cap', kind: 'output-cap', options: { headCharacters: 3, tailCharacters: 300 }, code: null },
    ]);
    expect(full.memory.historyTokens).toBe(500);
    expect(full.retry).toMatchObject({ parseErrors: 0, toolErrors: 2 });
  });

  it('hashes content, not the platform: line ends, byte-order mark and file order do not matter', () => {
    const unix = harness({ 'prompts/system.md': 'a\nb\n', 'retry.yaml': 'parseErrors: 1\n' });
    const windows = harnessFromFiles(
      new Map([
        ['retry.yaml', 'parseErrors: 1\r\n'],
        ['prompts/system.md', '\uFEFFa\r\nb\r\n'],
        ['harness.yaml', 'name: demo\r\n'],
      ]),
    );
    expect(windows.hash).toBe(unix.hash);
    expect(harness({ 'prompts/system.md': 'a\nc\n', 'retry.yaml': 'parseErrors: 1\n' }).hash).not.toBe(unix.hash);
  });

  it('is deeply immutable', () => {
    const frozen = harness({ 'tools/lookup/tool.yaml': LOOKUP_TOOL });
    expect(() => Object.assign(frozen.settings.limits, { turns: 99 })).toThrow(TypeError);
    expect(() => Object.assign(frozen.tools[0]?.parameters ?? {}, { type: 'array' })).toThrow(TypeError);
    expect(() => (frozen.files as Map<string, string>).set('harness.yaml', '')).toThrow(TypeError);
  });

  it('names file, field and the nearest known field', () => {
    const error = errorOf(() => harness({ 'harness.yaml': 'name: demo\nlimits: { turn: 3 }\n' }));
    expect(error.code).toBe('invalid-harness');
    expect(error.message).toContain('harness.yaml');
    expect(error.message).toContain('limits.turn: unknown field. Did you mean "turns"?');
  });

  it.each([
    ['a wrong type', { 'harness.yaml': 'name: demo\nvotes: many\n' }, 'votes: '],
    ['no settings file', { 'harness.yaml': undefined }, 'harness.yaml'],
    ['YAML that cannot be read', { 'retry.yaml': 'a: [1\n' }, 'retry.yaml:'],
    ['a file in an unknown place', { 'prompts/sistem.md': '' }, 'Did you mean "prompts/system.md"?'],
    [
      'tags without a closing text',
      { 'harness.yaml': 'name: d\nprotocol: { dialect: { kind: tags, open: "<c>" } }\n' },
      'close',
    ],
    [
      'arguments that are not an object schema',
      { 'tools/t/tool.yaml': 'parameters: { type: string }\nbackend: { kind: record }\n' },
      'parameters.type',
    ],
    [
      'a schema that means nothing',
      { 'tools/t/tool.yaml': 'parameters: { type: object, required: 3 }\nbackend: { kind: record }\n' },
      'JSON Schema',
    ],
    [
      'a step that is both call and text',
      { 'examples/e.yaml': 'problem: p\nsteps: [{ text: a, call: { tool: t, arguments: {} } }]\n' },
      'steps.0',
    ],
    ['two tools of one name', { 'tools/a/tool.yaml': LOOKUP_TOOL, 'tools/b/tool.yaml': LOOKUP_TOOL }, '"lookup"'],
    [
      'a dialect that cannot say which tool is meant',
      {
        'harness.yaml': 'name: d\nprotocol: { dialect: { kind: tags, open: "<c>", close: "</c>", body: arguments } }\n',
        'tools/a/tool.yaml': LOOKUP_TOOL,
        'tools/b/tool.yaml': LOOKUP_TOOL.replace('name: lookup', 'name: search'),
      },
      '{tool}',
    ],
  ])('refuses %s and says where', (_case, files, place) => {
    const merged = Object.entries({ 'harness.yaml': 'name: demo\n', ...files } as Record<string, string | undefined>);
    const given = merged.flatMap(([path, text]): [string, string][] => (text === undefined ? [] : [[path, text]]));
    const error = errorOf(() => harnessFromFiles(new Map(given)));
    expect(error.code).toBe('invalid-harness');
    expect(error.message).toContain(place);
  });
});

describe('edits lead from one harness to another', () => {
  it('changes a value and keeps the comments around it', () => {
    const edited = applyEdits(harness({ 'tools/lookup/tool.yaml': LOOKUP_TOOL }), [
      { path: 'tools/lookup/tool.yaml#/description', old: 'Finds an entry.', value: 'Finds an entry by key.' },
    ]);
    expect(edited.files.get('tools/lookup/tool.yaml')).toBe(
      LOOKUP_TOOL.replace('Finds an entry.', 'Finds an entry by key.'),
    );
    expect(edited.tools[0]?.description).toBe('Finds an entry by key.');
  });

  it('takes a default for what stands there when the file says nothing', () => {
    const edited = applyEdits(harness(), [{ path: 'harness.yaml#/sampling/temperature', old: 0, value: 0.7 }]);
    expect(edited.settings.sampling).toEqual({ temperature: 0.7, topP: 1, topK: 0 });
    expect(applyEdits(harness(), [{ path: 'retry.yaml#/parseErrors', old: 2, value: 4 }]).retry.parseErrors).toBe(4);
    expect(
      applyEdits(harness(), [{ path: 'prompts/task.md', old: '{{problem}}', value: 'Q: {{problem}}' }]).prompts.task,
    ).toBe('Q: {{problem}}');
  });

  it('adds and deletes files, values and list items', () => {
    const base = harness({ 'tools/lookup/tool.yaml': LOOKUP_TOOL, 'harness.yaml': 'name: demo\nvotes: 3\n' });
    const edited = applyEdits(base, [
      { path: 'tools/lookup/tool.yaml', old: LOOKUP_TOOL },
      { path: 'prompts/system.md', value: 'Think.' },
      { path: 'harness.yaml#/votes', old: 3 },
      { path: 'harness.yaml#/protocol', value: { stop: ['END'] } },
      { path: 'harness.yaml#/protocol/stop/-', value: 'STOP' },
    ]);
    expect(edited.tools).toEqual([]);
    expect(edited.prompts.system).toBe('Think.');
    expect(edited.settings.votes).toBe(1);
    expect(edited.settings.protocol.stop).toEqual(['END', 'STOP']);
  });

  it('refuses an edit whose old value is not what stands there, and shows both', () => {
    const error = errorOf(() => applyEdits(harness(), [{ path: 'harness.yaml#/votes', old: 5, value: 7 }]));
    expect(error.code).toBe('patch-conflict');
    expect(error.details).toMatchObject({ expected: 5 });
    expect(errorOf(() => applyEdits(harness(), [{ path: 'harness.yaml', value: 'name: x\n' }])).code).toBe(
      'patch-conflict',
    );
  });

  it.each([
    '../harness.yaml',
    'prompts/../../secret.md',
    '/etc/passwd',
    'tools/t/../../x',
    'verifier.ts',
    'prompts\\system.md',
    'skills/.git/config',
  ])('refuses to touch %s', (path) => {
    expect(errorOf(() => applyEdits(harness(), [{ path, value: 'x' }])).code).toBe('patch-forbidden');
    expect(componentOfPath(path)).toBeNull();
  });

  it('refuses edits that do not leave a harness, and changes nothing', () => {
    const base = harness();
    expect(errorOf(() => applyEdits(base, [{ path: 'harness.yaml#/votes', value: 0 }])).code).toBe('invalid-harness');
    expect(base.settings.votes).toBe(1);
  });

  it('knows the component that a patch path changes', () => {
    expect(componentOfPath('tools/lookup/tool.yaml#/parameters')).toEqual({ kind: 'tool', name: 'lookup' });
    expect(componentOfPath('harness.yaml#/votes')?.kind).toBe('settings');
    expect(componentOfPath('prompts/final-turn.md')).toEqual({ kind: 'prompt', name: 'final-turn' });
  });
});

describe('the diff of two harnesses', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom('a: b', '# x', 'yes', '12', '- q', "it's", 'line\nline'),
  );
  const files = fc
    .record({
      name: text.filter((name) => name !== ''),
      stop: fc.array(
        text.filter((item) => item !== ''),
        { maxLength: 3 },
      ),
      turns: fc.integer({ min: 1, max: 9 }),
      system: fc.option(text),
      description: fc.option(text),
      retry: fc.option(fc.integer({ min: 0, max: 5 })),
      comment: fc.boolean(),
    })
    .map(({ name, stop, turns, system, description, retry, comment }) => ({
      'harness.yaml': `${comment ? '# settings\n' : ''}${stringify({ name, protocol: { stop }, limits: { turns } })}`,
      ...(system === null ? {} : { 'prompts/system.md': system }),
      ...(description === null
        ? {}
        : { 'tools/lookup/tool.yaml': `${LOOKUP_TOOL.replace(/description:.*\n/, '')}${stringify({ description })}` }),
      ...(retry === null ? {} : { 'retry.yaml': `parseErrors: ${retry}   # tries\n` }),
    }));

  it('leads from the first to exactly the second, and back', () => {
    fc.assert(
      fc.property(files, files, (before, after) => {
        const [from, to] = [harness(before), harness(after)];
        expect(applyEdits(from, diffHarness(from, to)).hash).toBe(to.hash);
        expect(applyEdits(to, diffHarness(to, from)).hash).toBe(from.hash);
      }),
      { numRuns: 30 },
    );
  });

  it('writes text that YAML would read as something else so that it stays that text', () => {
    const from = harness({ 'tools/lookup/tool.yaml': LOOKUP_TOOL });
    const edit = (value: string) => ({ path: 'tools/lookup/tool.yaml#/description', old: 'Finds an entry.', value });
    for (const value of [
      '*-',
      '&name',
      '!tag',
      '- a',
      '? key',
      '%x',
      '@x',
      '`x',
      'true',
      '12',
      'a: b',
      'a #b',
      '{',
      '',
    ]) {
      expect(applyEdits(from, [edit(value)]).tools[0]?.description).toBe(value);
    }
  });

  it('names the changed field where that is all there is to say', () => {
    const from = harness({ 'tools/lookup/tool.yaml': LOOKUP_TOOL });
    const to = harness({ 'tools/lookup/tool.yaml': LOOKUP_TOOL.replace('entry', 'row') });
    expect(diffHarness(from, to)).toEqual([
      { path: 'tools/lookup/tool.yaml#/description', old: 'Finds an entry.', value: 'Finds an row.' },
    ]);
    expect(diffHarness(from, from)).toEqual([]);
  });
});

describe('a harness folder', () => {
  const folders: string[] = [];
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  });
  async function temporaryFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'harness-'));
    folders.push(folder);
    return folder;
  }

  it('reads back what was written, replaces what stood there, and leaves no other files', async () => {
    const parent = await temporaryFolder();
    const first = harness({ 'tools/lookup/tool.yaml': LOOKUP_TOOL });
    const second = harness({ 'prompts/system.md': 'Other.\n' });
    await writeHarness(join(parent, 'harness'), first);
    expect((await readHarness(join(parent, 'harness'))).hash).toBe(first.hash);
    await writeHarness(join(parent, 'harness'), second);
    expect((await readHarness(join(parent, 'harness'))).hash).toBe(second.hash);
    expect(await readdir(parent)).toEqual(['harness']);
  });

  it('leaves hidden files out and names the folder in errors', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, '.DS_Store'), 'x');
    await writeFile(join(folder, 'harness.yaml'), 'name: demo\nvote: 3\n');
    await expect(readHarness(folder)).rejects.toThrow(folder);
    await expect(readHarness(join(folder, 'missing'))).rejects.toMatchObject({ code: 'file-missing' });
  });
});
