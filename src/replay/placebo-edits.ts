import { splitPatchPath } from '../harness/component-of-path.ts';
import type { Harness } from '../harness/harness.ts';
import type { PatchEdit } from '../harness/patch-edit.ts';

/**
 * The placebo of a patch: an edit of the same kind in each of its places that means nothing. Texts get a blank at the end of their first line; values
 * in YAML files are left as they are and the file gets a comment. Where the patch adds a file there is nothing of that kind without meaning, and the system
 * prompt stands in for it.
 */
export function placeboEdits(harness: Harness, edits: readonly PatchEdit[]): PatchEdit[] {
  const files = new Set(edits.map(({ path }) => splitPatchPath(path).file));
  const standing = [...files].filter((file) => harness.files.has(file));
  const stand = standing.length > 0 ? standing : [standIn(harness)];
  return stand.map((file) => {
    const old = harness.files.get(file) ?? '';
    return { path: file, old, value: withoutMeaning(file, old) };
  });
}

function standIn({ files }: Harness): string {
  return files.has('prompts/system.md') ? 'prompts/system.md' : 'harness.yaml';
}

function withoutMeaning(file: string, text: string): string {
  if (file.endsWith('.yaml')) return describedAnew(text) ?? `${text.trimEnd()}\n# placebo\n`;
  if (file.endsWith('.js')) return `${text.trimEnd()}\n// placebo\n`;
  const [first = '', ...rest] = text.split('\n');
  return [`${first} `, ...rest].join('\n');
}

/** A description in one line with one more blank between its words, so that what the model reads changes and says the same. */
function describedAnew(text: string): string | null {
  const changed = text.replace(
    /^(description: )([^"'\s>|][^\n:#]*?) ([^\n:#]+)$/m,
    (_, key: string, start: string, end: string) => `${key}${JSON.stringify(`${start}  ${end}`)}`,
  );
  return changed === text ? null : changed;
}
