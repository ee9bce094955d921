import type { CallDialect, Harness } from '../../harness/harness.ts';
import type { PatchEdit } from '../../harness/patch-edit.ts';
import { callSkeleton } from '../call-dialects.ts';
import { fileEdit, present, valueEdit } from '../harness-edits.ts';

/**
 * Edits that change the call dialect and what the prompts say about it: sentences that describe the old form would contradict the new
 * one. The first of them gives way to one instruction for the new form, the others go.
 */
export function dialectEdits(harness: Harness, dialect: CallDialect): PatchEdit[] {
  return present([
    valueEdit(harness, 'harness.yaml', '/protocol/dialect', { ...dialect }),
    stopEdit(harness, dialect),
    ...Object.entries(harness.prompts).map(([name, text]) => {
      const changed = replaceCallForm(text, harness, callFormText(harness, dialect));
      return changed === text ? null : fileEdit(harness, `prompts/${name}.md`, `${changed.trim()}\n`);
    }),
  ]);
}

/** Stop strings that belonged to the old form would cut replies of the new one. */
function stopEdit(harness: Harness, dialect: CallDialect): PatchEdit | null {
  const { stop, dialect: old } = harness.settings.protocol;
  const foreign = (text: string) =>
    text === old.close || harness.tools.some(({ name }) => text === old.close.replaceAll('{tool}', name));
  if (!stop.some(foreign) || old.close === dialect.close) return null;
  return valueEdit(
    harness,
    'harness.yaml',
    '/protocol/stop',
    stop.filter((text) => !foreign(text)),
  );
}

/** Stands for tools that only the task brings. */
const ANY_TOOL = {
  name: 'TOOL_NAME',
  parameters: { type: 'object', properties: { ARGUMENT: { type: 'string' } }, required: ['ARGUMENT'] },
};

/** One sentence and a skeleton call per tool, at most three. */
export function callFormText(harness: Harness, dialect: CallDialect): string {
  const tools = harness.tools.length > 0 ? harness.tools.slice(0, 3) : [ANY_TOOL];
  const skeletons = tools.map((tool) => callSkeleton(dialect, tool));
  return `To call a tool, write:\n${skeletons.join('\n')}`;
}

/**
 * The text with `instruction` in the place of the sentences that describe how a call is written in φ's present dialect; the text itself when there
 * are none. Lines with template fields are kept as they are.
 */
export function replaceCallForm(text: string, harness: Harness, instruction: string): string {
  let left: string | null = instruction;
  const take = () => {
    const taken = left;
    left = null;
    return taken ?? '';
  };
  const lines = text.split('\n').flatMap((line) => {
    if (!describesCallForm(line, harness)) return [line];
    const sentences = line.split(/(?<=[.!?:])\s+/).map((part) => (describesCallForm(part, harness) ? take() : part));
    const changed = sentences.filter((part) => part !== '').join(' ');
    return changed === '' ? [] : [changed];
  });
  return lines.join('\n');
}

function describesCallForm(part: string, harness: Harness): boolean {
  const { dialect } = harness.settings.protocol;
  if (/\{\{\s*\w+\s*\}\}/.test(part)) return false;
  if (dialect.body !== 'argument' && (/\bJSON\b/i.test(part) || /"(name|arguments)"\s*:/.test(part))) return true;
  if (dialect.kind === 'json') return false;
  const marks = harness.tools
    .map(({ name }) => dialect.open.replaceAll('{tool}', name))
    .filter((mark) => mark.length > 2);
  return marks.some((mark) => part.includes(mark));
}
