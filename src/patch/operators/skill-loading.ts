import { parseDocument, stringify } from 'yaml';
import type { Harness } from '../../harness/harness.ts';
import type { HarnessSkill } from '../../harness/read-skills.ts';
import { fileEdit, present } from '../harness-edits.ts';
import type { PatchDraft, PatchOperator } from '../patch-operator.ts';

const CURES: Readonly<Record<string, number>> = { 'prefix-fills-window': 0.5, 'skill-never-loaded': 0.7 };

/** Loads a skill at another time (always instead of by the model's call, or the other way round). */
export const skillLoading: PatchOperator = {
  name: 'skill-loading',
  reach: (cluster, harness) => {
    if (harness.skills.length === 0) return 0;
    return cluster === null ? 0.12 : (CURES[cluster.mechanism] ?? 0);
  },
  propose: ({ harness, clusters }) => {
    const isUnread = clusters.some(({ mechanism }) => mechanism === 'skill-never-loaded');
    return harness.skills.map((skill) =>
      skill.load === 'always'
        ? moved(harness, skill, 'call', { kind: 'event-seen', event: 'skill-loaded' }, isUnread ? 0.2 : 0.6)
        : moved(harness, skill, 'always', { kind: 'prompt-changed' }, isUnread ? 1 : 0.6),
    );
  },
};

function moved(
  harness: Harness,
  { name }: HarnessSkill,
  load: 'always' | 'call',
  probe: PatchDraft['probe'],
  promise: number,
): PatchDraft {
  const path = `skills/${name}/SKILL.md`;
  return {
    title: load === 'always' ? `show the skill ${name} always` : `let the model load the skill ${name}`,
    edits: present([fileEdit(harness, path, withLoad(harness.files.get(path) ?? '', name, load))]),
    component: 'skill',
    probe,
    promise,
  };
}

/** The skill's text with `metadata.load` set and a description, which is what the model decides by. */
function withLoad(text: string, name: string, load: string): string {
  const [, front = '', body = text] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
  const fields: Record<string, unknown> = parseDocument(front).toJS() ?? {};
  const { when: _when, ...metadata } = (fields.metadata ?? {}) as Record<string, unknown>;
  const firstLine =
    body
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.replace(/^#+\s*/, '')
      .trim() ?? name;
  const changed = { name, description: firstLine, ...fields, metadata: { ...metadata, load } };
  return `---\n${stringify(changed)}---\n${body}`;
}
