import type { Harness } from '../../harness/harness.ts';
import { fileEdit, present } from '../harness-edits.ts';
import type { PatchDraft, PatchOperator } from '../patch-operator.ts';

/** Takes text out of prompts: one line, everything but the tool offer, or a whole prompt. Deletion needs no failure as its reason. */
export const shortenPrompt: PatchOperator = {
  name: 'shorten-prompt',
  reach: (cluster, harness) => {
    const isShown = harness.examples.length > 0;
    if (cluster === null) return isShown ? 0.35 : 0.1;
    if (cluster.mechanism === 'prefix-fills-window') return 0.6;
    return ['narrated-call', 'no-call'].includes(cluster.mechanism) && isShown ? 0.3 : 0;
  },
  propose: ({ harness, random }) => {
    const system = (harness.prompts.system ?? '').trim();
    const lines = system.split('\n').filter((line) => line.trim() !== '');
    if (lines.length === 0) return [];
    const index = random.below(lines.length);
    const oneLess = lines.filter((_, position) => position !== index).join('\n');
    const fields = lines.filter((line) => line.includes('{{')).join('\n');
    return [
      ...(harness.examples.length > 0 ? [draft(harness, 'remove the system prompt', '', 0.9)] : []),
      ...(fields !== '' && fields !== system
        ? [draft(harness, 'keep only the tool offer of the system prompt', fields, 0.6)]
        : []),
      ...(lines.length > 1 ? [draft(harness, `remove line ${index + 1} of the system prompt`, oneLess, 0.7)] : []),
      ...(lines.length > 2
        ? [draft(harness, 'keep only the first line of the system prompt', lines[0] ?? '', 0.8)]
        : []),
    ].flatMap((found) => found ?? []);
  },
};

function draft(harness: Harness, title: string, text: string, promise: number): PatchDraft | null {
  const edits = present([fileEdit(harness, 'prompts/system.md', text === '' ? undefined : `${text}\n`)]);
  return edits.length === 0 ? null : { title, edits, component: 'prompt', probe: { kind: 'prompt-changed' }, promise };
}
