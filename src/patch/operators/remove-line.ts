import type { Harness } from '../../harness/harness.ts';
import { fileEdit, present } from '../harness-edits.ts';
import type { PatchOperator } from '../patch-operator.ts';

/** Lines tried at most, the last ones first: what was added later is what contradicts. */
const MOST_LINES = 6;
/** Characters from which on a line rather fills the window than instructs. */
const LONG_LINE = 2000;

/** Takes one instruction out of the system prompt, where one too many is the cause: a contradiction, a special case, a pasted text. */
export const removeLine: PatchOperator = {
  name: 'remove-line',
  reach: (cluster, harness) => {
    if (cluster === null) return 0.1;
    if (cluster.mechanism === 'prefix-fills-window') return plainLines(harness).some(isLong) ? 0.9 : 0;
    return cluster.label === 'prompt_ambiguity' ? 0.6 : 0;
  },
  propose: ({ harness }) => {
    const lines = (harness.prompts.system ?? '').split('\n');
    return plainLines(harness)
      .toSorted((a, b) => Number(isLong(b)) - Number(isLong(a)))
      .slice(0, MOST_LINES)
      .map(({ text, index }, rank) => ({
        title: `remove the instruction "${text.length > 60 ? `${text.slice(0, 59)}…` : text}"`,
        edits: present([fileEdit(harness, 'prompts/system.md', `${lines.toSpliced(index, 1).join('\n')}\n`)]),
        component: 'prompt' as const,
        probe: { kind: 'prompt-changed' as const },
        promise: 1 / (1 + rank * 0.15),
      }));
  },
};

interface PlainLine {
  text: string;
  index: number;
}

/** Lines without template fields, last first. */
function plainLines({ prompts }: Harness): PlainLine[] {
  const lines = (prompts.system ?? '').split('\n');
  return lines.flatMap((text, index) => (text.trim() === '' || text.includes('{{') ? [] : [{ text, index }])).reverse();
}

function isLong({ text }: PlainLine): boolean {
  return text.length > LONG_LINE;
}
