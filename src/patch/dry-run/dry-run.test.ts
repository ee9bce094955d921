import { afterAll, describe, expect, it } from 'vitest';
import type { Harness } from '../../harness/harness.ts';
import { calculate, harnessWith, rollOut, TASK } from '../../rollout/scripted-rollout.fixture.ts';
import type { ToolHosts } from '../../rollout/tools/tool-hosts.ts';
import { javaScriptSandbox } from '../../sandbox/javascript-sandbox.ts';
import { dryRun } from './dry-run.ts';
import type { DryRunOrder } from './dry-run-order.ts';

const hosts: ToolHosts = { javaScript: javaScriptSandbox(), python: null };
afterAll(() => hosts.javaScript.close());

const parent = harnessWith();
/** A call, its result, and an answer. */
const recorded = [{ trajectory: await rollOut(parent, [calculate('6*7'), 'It is 42.']), task: TASK }];
const signal = new AbortController().signal;

function tried(child: Harness, changes: Partial<DryRunOrder> = {}) {
  return dryRun({ parent, child, recorded, hosts, signal, ...changes });
}

const TOOL = (kind = 'js', limits = 'wallMs: 10000') =>
  `parameters: { type: object, properties: { n: { type: integer } }, required: [n] }\nbackend: { kind: ${kind}, entry: code.${kind} }\nlimits: { ${limits} }\n`;
const withTool = (code: string, limits?: string) =>
  harnessWith({ 'tools/doubler/tool.yaml': TOOL('js', limits), 'tools/doubler/code.js': code });
const withHook = (code: string, options = '') =>
  harnessWith({ 'middleware/10-own.js': code, ...(options === '' ? {} : { 'middleware/10-own.yaml': options }) });

describe('the dry run of a new tool', { timeout: 60_000 }, () => {
  it('lets a tool pass that does what its schema promises', async () => {
    expect(await tried(withTool('export default ({ n }) => n * 2;'))).toEqual({
      tried: ['tool "doubler"'],
      objection: null,
    });
  });

  it('lets a tool pass that refuses the arguments in its own words', async () => {
    const { objection } = await tried(withTool("export default () => { throw new Error('no such city'); };"));
    expect(objection).toBeNull();
  });

  it.each([
    ['a syntax error', 'export default ({ n }) => n *;', /SyntaxError/],
    ['an import that is not there', "import { twice } from './twice.js';\nexport default twice;", /twice\.js/],
    ['no function to call', 'export const double = 2;', /default export/],
    [
      'an import of the host’s modules',
      "import fs from 'node:fs';\nexport default () => fs.readFileSync('/etc/passwd', 'utf8');",
      /node:fs/,
    ],
    ['a name that does not exist', 'export default ({ n }) => m * 2;', /ReferenceError/],
    ['a reach for the process of the host', 'export default () => process.env.HOME;', /ReferenceError.*process/],
    ['a use of its arguments that they do not have', 'export default ({ n }) => n.toUpperCase();', /TypeError/],
  ])('refuses %s, with the reason and what it was called with', async (_, code, reason) => {
    const { objection } = await tried(withTool(code));
    expect(objection).toMatch(/^Tool "doubler", tried with \{"n":1\}: /);
    expect(objection).toMatch(reason);
  });

  it('refuses a tool that hangs, at the tool’s own limit', async () => {
    expect((await tried(withTool('export default () => { for (;;); };', 'wallMs: 300'))).objection).toMatch(/timeout/);
  });

  it('refuses a tool whose code is missing, or whose sandbox this installation lacks', async () => {
    const codeless = await tried(harnessWith({ 'tools/doubler/tool.yaml': TOOL() }));
    expect(codeless.objection).toMatch(/no-code.*code\.js/);
    expect(codeless.isUnavailable).toBeUndefined();
    const python = harnessWith({ 'tools/doubler/tool.yaml': TOOL('python'), 'tools/doubler/code.python': 'x' });
    expect(await tried(python)).toMatchObject({
      objection: expect.stringMatching(/cannot run here.*Python sandbox/),
      isUnavailable: true,
    });
  });

  it('calls a changed tool as the recorded rollouts did', async () => {
    const code =
      "export default ({ expression }) => { if (expression !== '6*7') throw new TypeError(expression); return 42; };";
    const files = {
      'tools/calculator/tool.yaml':
        'parameters: { type: object, properties: { expression: { type: string } }, required: [expression] }\nbackend: { kind: js, entry: own.js }\nlimits: { wallMs: 10000 }\n',
      'tools/calculator/own.js': code,
    };
    expect(await tried(harnessWith(files))).toEqual({ tried: ['tool "calculator"'], objection: null });
    expect((await tried(harnessWith(files), { recorded: [] })).objection).toMatch(/TypeError/);
  });

  it('does not call tools that the diff leaves alone, nor those of servers', async () => {
    const before = withTool('export default () => { for (;;); };');
    const after = harnessWith({ ...Object.fromEntries(before.files), 'prompts/system.md': 'Be exact.\n' });
    expect(await tried(after, { parent: before })).toEqual({ tried: [], objection: null });
    const server = harnessWith({
      'tools/mail/tool.yaml': 'parameters: { type: object }\nbackend: { kind: mcp, entry: mail/send }\n',
    });
    expect(await tried(server)).toEqual({ tried: [], objection: null });
  });
});

describe('the replay of new middleware over recorded rollouts', { timeout: 60_000 }, () => {
  it('takes it through what was really said, called and answered', async () => {
    const seen = [
      "function start({ problem }) { if (problem !== 'What is 6*7?') throw new Error('start'); }",
      'function afterModel(reply, state) { return { state: [...(state ?? []), reply.written] }; }',
      "function beforeTool({ call }) { if (call.arguments.expression !== '6*7') throw new Error('beforeTool'); }",
      "function afterTool({ value }) { if (value !== '42') throw new Error('afterTool'); }",
      "function finish({ answer }) { if (answer !== 'It is 42.') throw new Error('finish'); }",
    ].join('\n');
    expect(await tried(withHook(seen))).toEqual({
      tried: ['middleware "10-own" over 1 recorded rollouts'],
      objection: null,
    });
    const other = [{ trajectory: await rollOut(parent, [calculate('6*8'), 'It is 48.']), task: TASK }];
    expect((await tried(withHook(seen), { recorded: other })).objection).toMatch(
      /10-own, beforeTool: error: .*beforeTool/,
    );
  });

  it.each([
    ['a syntax error', 'function finish( { return null; }', /SyntaxError/],
    [
      'a reach for modules of the host',
      "function finish() { return require('fs').readFileSync('/etc/passwd'); }",
      /require/,
    ],
    [
      'an action that the hook does not have',
      "function finish() { return { kind: 'show', text: 'x' }; }",
      /no action that finish has/,
    ],
    ['a state that grows too large', "function finish() { return { state: 'x'.repeat(200000) }; }", /characters/],
  ])('refuses %s', async (_, code, reason) => {
    const { objection } = await tried(withHook(code));
    expect(objection).toMatch(/^Middleware 10-own, \w+: /);
    expect(objection).toMatch(reason);
  });

  it('refuses a hook that hangs, after a second try', async () => {
    const { objection } = await tried(withHook('function afterTool() { for (;;); }'));
    expect(objection).toMatch(/10-own, afterTool: timeout/);
  });

  it('calls hooks that no recorded rollout reaches with made-up events, where only code that cannot work is refused', async () => {
    const without = [{ trajectory: await rollOut(parent, ['It is 42.']), task: TASK }];
    const broken = withHook('function afterTool() { return nothing.here; }');
    expect((await tried(broken, { recorded: without })).objection).toMatch(
      /ReferenceError.*made-up events \(beforeTool, afterTool met/s,
    );
    const picky = withHook("function afterTool({ value }) { if (value !== '42') throw new Error('not what I know'); }");
    expect((await tried(picky, { recorded: without })).objection).toBeNull();
  });

  it('neither asks a model nor runs a tool, and leaves middleware alone that was there before', async () => {
    const hook = 'function finish() { return oops; }';
    const before = withHook(hook);
    const after = harnessWith({ ...Object.fromEntries(before.files), 'prompts/system.md': 'Be exact.\n' });
    expect(await tried(after, { parent: before })).toEqual({ tried: [], objection: null });
    const builtIn = harnessWith({ 'middleware/20-loop.yaml': 'kind: loop-breaker\n' });
    const deaf = {
      javaScript: { ...hosts.javaScript, run: () => Promise.reject(new Error('no code was to run')) },
      python: null,
    };
    expect(await tried(builtIn, { hosts: deaf })).toMatchObject({
      objection: null,
      tried: [expect.stringContaining('20-loop')],
    });
  });
});
