import { describe, expect, it } from 'vitest';
import { applyEdits } from '../harness/apply-patch.ts';
import { harnessFromFiles } from '../harness/parse-harness.ts';
import { taskHash } from '../task/task.ts';
import { errorText, openingMessages, resultText } from './conversation.ts';
import { requireToolCode } from './tools/require-tool-code.ts';
import { PROMPT_FIELDS, unfilledFields } from './unfilled-fields.ts';

const phi = (files: Record<string, string>) =>
  harnessFromFiles(new Map(Object.entries({ 'harness.yaml': 'name: x\n', ...files })));
const tool = (backend: string) => `parameters: { type: object }\nbackend: ${backend}\n`;

describe('a tool that somebody wrote', () => {
  const check = (backend: string, files: Record<string, string> = {}, servers: string[] = []) =>
    requireToolCode(phi({ 'tools/look/tool.yaml': tool(backend), ...files }), servers);

  it.each(['js', 'python', 'command'])('needs the entry file of its %s back end', (kind) => {
    const backend = `{ kind: ${kind}, entry: main.py }`;
    expect(() => check(backend)).toThrow(
      /tools\/look\/tool\.yaml backend\.entry: there is no file tools\/look\/main\.py/,
    );
    expect(() => check(backend, { 'tools/look/mian.py': 'x' })).toThrow('Did you mean "mian.py"?');
    expect(() => check(backend, { 'tools/look/main.py': 'x' })).not.toThrow();
  });

  it('needs a built-in that exists, and a server that the config names', () => {
    expect(() => check('{ kind: builtin, name: calculater }')).toThrow('Did you mean "calculator"?');
    for (const name of ['calculator', 'run_js', 'run_python'])
      expect(() => check(`{ kind: builtin, name: ${name} }`)).not.toThrow();
    expect(() => check('{ kind: mcp, entry: files/read }')).toThrow(/no MCP server "files" in tools\.mcp/);
    expect(() => check('{ kind: mcp, entry: files/read }', {}, ['files'])).not.toThrow();
    expect(() => check('{ kind: record }')).not.toThrow();
  });

  it('may lose its code by a diff, which is then judged by its rollouts', () => {
    const whole = phi({
      'tools/look/tool.yaml': tool('{ kind: js, entry: a.js }'),
      'tools/look/a.js': 'export default 1',
    });
    expect(applyEdits(whole, [{ path: 'tools/look/a.js', old: 'export default 1' }]).tools).toHaveLength(1);
  });
});

describe('template fields', () => {
  it('that nothing fills are told with file and nearest known field; the harness still loads', () => {
    const harness = phi({
      'prompts/task.md': 'Solve: {{probem}}\n',
      'prompts/system.md': 'Use {{ tools }} or {{wibble}}.\n',
    });
    expect(unfilledFields(harness, [])).toEqual([
      expect.stringMatching(/^prompts\/system\.md: nothing fills \{\{wibble\}\}.*Known here: tools, skills, facts\.$/),
      expect.stringMatching(/^prompts\/task\.md: nothing fills \{\{probem\}\}.*Did you mean \{\{problem\}\}\?/),
    ]);
  });

  it('of the tasks are known in the task prompt, and nowhere else', () => {
    const harness = phi({ 'prompts/task.md': '{{hint}} {{problem}}\n', 'prompts/system.md': '{{hint}}\n' });
    expect(unfilledFields(harness, [{}, { fields: { hint: 'x' } }])).toEqual([
      expect.stringContaining('prompts/system.md: nothing fills {{hint}}'),
    ]);
  });

  it('that are listed as known are those that the loop fills', () => {
    const all = (name: keyof typeof PROMPT_FIELDS) => PROMPT_FIELDS[name].map((field) => `{{${field}}}`).join(' ');
    const harness = phi({
      'prompts/system.md': all('system'),
      'prompts/task.md': all('task'),
      'prompts/tool-offer.md': all('tool-offer'),
      'prompts/tool-result.md': all('tool-result'),
      'prompts/error-feedback.md': all('error-feedback'),
      'tools/look/tool.yaml': tool('{ kind: record }'),
    });
    const content = { problem: 'p', answer: '1' };
    const task = { id: 't', ...content, hash: taskHash(content), group: 'g' };
    const shown = openingMessages(harness, task, harness.tools).map((message) => message.content);
    expect([...shown, resultText(harness, 'look', 'r'), errorText(harness, 'look', 'p')].join('\n')).not.toContain(
      '{{',
    );
    expect(unfilledFields(harness, [])).toEqual([]);
  });
});
