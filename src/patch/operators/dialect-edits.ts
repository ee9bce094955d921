import type { CallDialect, Harness } from '../../harness/harness.ts';
import type { PatchEdit } from '../../harness/patch-edit.ts';
import { callSkeleton } from '../call-dialects.ts';
import { fileEdit, present, valueEdit } from '../harness-edits.ts';

/**
 * Edits that change the call dialect and what the prompts say about it: sentences that describe the old form would contradict the new
 * one. They are removed, and where any stood, one instruction for the new form takes their place.
 */
export function dialectEdits(harness: Harness, dialect: CallDialect): PatchEdit[] {
  return present([
    valueEdit(harness, 'harness.yaml', '/protocol/dialect', { ...dialect }),
    stopEdit(harness, dialect),
    ...Object.entries(harness.prompts).map(([name, text]) => {
      const kept = withoutCallForm(text, harness);
      return kept === text ? null : fileEdit(harness, `prompts/${name}.md`, `${joined(kept, callInstruction(harness, dialect))}\n`);
    }),
  ]);
}

/** Stop strings that belonged to the old form would cut replies of the new one. */
function stopEdit(harness: Harness, dialect: CallDialect): PatchEdit | null {
  const { stop, dialect: old } = harness.settings.protocol;
  const foreign = (text: string) => text === old.close || harness.tools.some(({ name }) => text === old.close.replaceAll('{tool}', name));
  if (!stop.some(foreign) || old.close === dialect.close) return null;
  return valueEdit(harness, 'harness.yaml', '/protocol/stop', stop.filter((text) => !foreign(text)));
}

/** One sentence and a skeleton call per tool, at most three. */
export function callInstruction(harness: Harness, dialect: CallDialect): string {
  const skeletons = harness.tools.slice(0, 3).map((tool) => callSkeleton(dialect, tool));
  return `To call a tool, write:\n${skeletons.join('\n')}`;
}

/** The text without sentences that describe how a call is written in φ's present dialect; template fields are always kept. */
export function withoutCallForm(text: string, harness: Harness): string {
  const { dialect } = harness.settings.protocol;
  const open = harness.tools.map(({ name }) => dialect.open.replaceAll('{tool}', name)).filter((mark) => mark.length > 1);
  const describesForm = (part: string) => {
    if (/\{\{.*\}\}/.test(part)) return false;
    if (dialect.kind === 'json' || dialect.body !== 'argument') {
      if (/\bJSON\b/i.test(part) || /"(name|arguments)"\s*:/.test(part)) return true;
    }
    return dialect.kind !== 'json' && open.some((mark) => part.includes(mark));
  };
  return text
    .split('\n')
    .map((line) => {
      if (!describesForm(line)) return line;
      const sentences = line.split(/(?<=[.!?])\s+/);
      return sentences.filter((sentence) => !describesForm(sentence)).join(' ');
    })
    .filter((line, index, lines) => line.trim() !== '' || (index > 0 && lines[index - 1]?.trim() !== ''))
    .join('\n');
}

export function joined(...parts: string[]): string {
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n');
}
