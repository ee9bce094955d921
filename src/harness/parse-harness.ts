import { contentHash } from '../base/content-hash.ts';
import { CoHarnessError } from '../base/errors.ts';
import { schemaProblem } from './argument-check.ts';
import { type PromptName, requireComponent } from './component-of-path.ts';
import { deepFreeze, frozenMap } from './deep-freeze.ts';
import type { Harness, HarnessExample, HarnessTool } from './harness.ts';
import { parseHarnessFile } from './harness-file.ts';
import { exampleSchema, memorySchema, retrySchema, settingsSchema, toolSchema } from './harness-schemas.ts';
import { toolsOfHarness } from './house-tools.ts';
import { readMiddleware } from './read-middleware.ts';
import { readSkills } from './read-skills.ts';

/** What a prompt says where φ has no file for it. `tool-offer` renders one tool of the {{tools}} list. */
export const DEFAULT_PROMPTS: Readonly<Record<PromptName, string>> = {
  system: '',
  task: '{{problem}}',
  'final-turn': 'No more tool calls are possible. Give the final answer now.',
  'tool-result': '{{result}}',
  'error-feedback': 'Error: {{problem}}',
  'tool-offer': '{{json}}',
  summary: 'Sum up in a few sentences what matters of this for the rest of the task.\n\n{{dropped}}',
};

/**
 * φ from its text files (path → text, `/`-separated). Line endings become `\n` and a byte-order mark goes, so that the hash does not depend on
 * the platform. The value is deeply frozen. Throws CoHarnessError `invalid-harness` for a file in an unknown place, a bad field, or parts
 * that do not fit together.
 */
export function harnessFromFiles(files: ReadonlyMap<string, string>): Harness {
  const texts = new Map(
    [...files]
      .map(([path, text]): [string, string] => [path, normaliseText(text)])
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
  );
  for (const path of texts.keys()) requireComponent(path, 'invalid-harness');
  const settingsText = texts.get('harness.yaml');
  if (settingsText === undefined) {
    throw new CoHarnessError('invalid-harness', 'A harness needs the file harness.yaml with at least "name: …".', {
      details: { files: [...texts.keys()] },
    });
  }
  const harness: Harness = {
    hash: contentHash(Object.fromEntries(texts)),
    files: frozenMap(texts),
    settings: parseHarnessFile(settingsSchema, 'harness.yaml', settingsText),
    prompts: readPrompts(texts),
    examples: matching(texts, /^examples\/(.+)\.yaml$/, readExample),
    tools: matching(texts, /^tools\/([^/]+)\/tool\.yaml$/, readTool),
    skills: readSkills(texts),
    facts: matching(texts, /^memory\/(.+)\.md$/, (_name, _file, text) => text).flatMap(factLines),
    middleware: readMiddleware(texts),
    memory: parseHarnessFile(memorySchema, 'memory.yaml', texts.get('memory.yaml') ?? ''),
    retry: parseHarnessFile(retrySchema, 'retry.yaml', texts.get('retry.yaml') ?? ''),
  };
  checkParts(harness, texts);
  return deepFreeze(harness);
}

function normaliseText(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
}

function matching<T>(
  texts: ReadonlyMap<string, string>,
  pattern: RegExp,
  read: (name: string, file: string, text: string) => T,
): T[] {
  return [...texts].flatMap(([file, text]) => {
    const name = pattern.exec(file)?.[1];
    return name === undefined ? [] : [read(name, file, text)];
  });
}

function readPrompts(texts: ReadonlyMap<string, string>): Record<string, string> {
  const written = matching(texts, /^prompts\/(.+)\.md$/, (name, _file, text): [string, string] => [
    name,
    text.replace(/\n+$/, ''),
  ]);
  return { ...DEFAULT_PROMPTS, ...Object.fromEntries(written) };
}

function readExample(fileName: string, file: string, text: string): HarnessExample {
  const { name, problem, steps, fromTasks } = parseHarnessFile(exampleSchema, file, text);
  return {
    name: name ?? fileName,
    problem,
    steps: steps.map((step) => ({
      ...(step.call === undefined ? {} : { call: step.call }),
      ...(step.result === undefined ? {} : { result: step.result }),
      ...(step.text === undefined ? {} : { text: step.text }),
    })),
    fromTasks,
  };
}

function readTool(folder: string, file: string, text: string): HarnessTool {
  const { name, ...tool } = parseHarnessFile(toolSchema, file, text);
  const problem = schemaProblem(tool.parameters);
  if (problem !== null) {
    throw new CoHarnessError('invalid-harness', `${file} parameters: not a valid JSON Schema (2020-12): ${problem}`, {
      details: { file, field: 'parameters' },
    });
  }
  return { name: name ?? folder, ...tool, folder };
}

function factLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/^[-*]\s+/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** Rules between files: names are unique, and the call dialect can name a tool. */
function checkParts(harness: Harness, texts: ReadonlyMap<string, string>): void {
  const { settings } = harness;
  const tools = toolsOfHarness(harness);
  const names = tools.map((tool) => tool.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new CoHarnessError('invalid-harness', `Two tools are called "${twice}". Give each tool.yaml its own name.`, {
      details: { tool: twice },
    });
  }
  const { dialect } = settings.protocol;
  if (dialect.body !== 'call' && !dialect.open.includes('{tool}') && tools.length > 1) {
    throw new CoHarnessError(
      'invalid-harness',
      `harness.yaml protocol.dialect: a call with body "${dialect.body}" and open "${dialect.open}" does not say which of the ` +
        `${tools.length} tools it means. Put {tool} into "open", use body "call", or keep one tool.`,
      { details: { file: 'harness.yaml', field: 'protocol.dialect', tools: names } },
    );
  }
  if (dialect.body !== 'argument') return;
  for (const tool of tools) {
    if (soleTextArgument(tool) !== null) continue;
    throw new CoHarnessError(
      'invalid-harness',
      `harness.yaml protocol.dialect.body is "argument", but tool "${tool.name}" does not have exactly one required argument ` +
        `of type string. Use body "arguments", or change the parameters (now ${JSON.stringify(tool.parameters)}).`,
      { details: { file: 'harness.yaml', field: 'protocol.dialect.body', tool: tool.name, files: [...texts.keys()] } },
    );
  }
}

/** Name of a tool's only required string argument; null when there is not exactly one. */
export function soleTextArgument(tool: Pick<HarnessTool, 'parameters'>): string | null {
  const { required, properties } = tool.parameters;
  if (!Array.isArray(required) || required.length !== 1) return null;
  const name: unknown = required[0];
  if (typeof name !== 'string' || typeof properties !== 'object' || properties === null) return null;
  const property = (properties as Record<string, unknown>)[name];
  const isText =
    typeof property === 'object' && property !== null && (property as { type?: unknown }).type === 'string';
  return isText ? name : null;
}
