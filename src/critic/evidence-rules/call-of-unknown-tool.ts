import type { CallDialect } from '../../harness/harness.ts';
import { evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';
import { toolNames } from '../tool-names.ts';
import { replyWithoutCall } from './call-in-other-form.ts';

/** The reply opens a call in the harness's own form, for a tool that was not offered: the loop cannot tell it from text. */
export const callOfUnknownTool = evidenceRule('unknown-tool', 'tool_schema_error', (trajectory, harness) => {
  const form = openingForm(harness.settings.protocol.dialect);
  if (form === null) return null;
  const names = new Set(toolNames(trajectory, harness));
  for (const reply of replyWithoutCall(trajectory)) {
    const opened = [...reply.text.matchAll(form)].find(([, name]) => name !== undefined && !names.has(name));
    if (opened === undefined) continue;
    return {
      component: 'tool',
      path: 'tools',
      explanation: `The model called ${opened[1]}, which is not offered.`,
      severity: 1,
      confidence: 0.8,
      evidence: [evidence(reply, reply.text.slice(opened.index))],
    };
  }
  return null;
});

/** What opens a call whose opening text names the tool, with the name as its group; null for other dialects. */
function openingForm({ kind, open }: CallDialect): RegExp | null {
  const [before, after] = open.split('{tool}');
  if (kind === 'json' || before === undefined || after === undefined) return null;
  const start = kind === 'fenced' ? `\`\`\`${before}` : before;
  // Without a mark on both sides any word would do.
  if (start === '' || (after === '' && kind === 'tags')) return null;
  const end = kind === 'fenced' ? `${RegExp.escape(after)}\\n` : RegExp.escape(after);
  return new RegExp(`${RegExp.escape(start)}([\\p{L}\\p{N}_.-]+)${end}`, 'gu');
}
