import type { Harness } from '../../harness/harness.ts';
import { fileEdit, present } from '../harness-edits.ts';
import type { PatchDraft, PatchOperator } from '../patch-operator.ts';
import { callFormText, replaceCallForm } from './dialect-edits.ts';

const CURES: Readonly<Record<string, number>> = {
  'no-call': 0.3,
  'narrated-call': 0.4,
  'invented-observation': 0.4,
  'call-in-other-form': 0.5,
  'call-unreadable': 0.5,
  'unknown-tool': 0.3,
  'tool-not-offered': 0.9,
};

/** Says in the system prompt how a call is written, as a line to copy; offers the tools there when nothing does. */
export const callInstruction: PatchOperator = {
  name: 'call-instruction',
  reach: (cluster) => (cluster === null ? 0 : (CURES[cluster.mechanism] ?? 0)),
  propose: ({ harness }) => {
    const instruction = callFormText(harness, harness.settings.protocol.dialect);
    const system = harness.prompts.system ?? '';
    const tools = system.includes('{{tools}}') ? '' : 'Tools:\n{{tools}}\n';
    const replaced = replaceCallForm(system, harness, instruction);
    const appended = [system.trim(), `${tools}${instruction}`].filter((part) => part !== '').join('\n');
    const firm = `${instruction}\nDo not work the result out yourself: always begin with a call.`;
    return [
      draft(harness, 'say how a call is written', tools === '' && replaced !== system ? replaced : appended, 1),
      draft(
        harness,
        'say how a call is written, and to begin with one',
        `${[system.trim(), `${tools}${firm}`].join('\n').trim()}`,
        0.9,
      ),
    ].flatMap((found) => found ?? []);
  },
};

function draft(harness: Harness, title: string, text: string, promise: number): PatchDraft | null {
  const edits = present([fileEdit(harness, 'prompts/system.md', `${text.trim()}\n`)]);
  return edits.length === 0 ? null : { title, edits, component: 'prompt', probe: { kind: 'prompt-changed' }, promise };
}
