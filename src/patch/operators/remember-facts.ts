import type { ContentHash } from '../../base/content-hash.ts';
import { isSuccess } from '../../trajectory/is-success.ts';
import { fileEdit, present } from '../harness-edits.ts';
import type { OperatorContext, PatchDraft, PatchOperator } from '../patch-operator.ts';

const FILE = 'memory/facts.md';
/** Episodes in which a note must have been of use before it is a fact. */
const LEAST_EPISODES = 2;
const MOST_FACTS = 12;

/**
 * Memory across episodes: notes that the model kept in several solved train rollouts become facts of φ. What one rollout learnt reaches another
 * only so, as a hashed file that a gate has judged; and facts go again where failures are laid to memory.
 */
export const rememberFacts: PatchOperator = {
  name: 'remember-facts',
  reach: (cluster, harness) => {
    if (cluster !== null) return cluster.label === 'memory_overflow' && harness.facts.length > 0 ? 0.2 : 0;
    return harness.memory.notes.tokens > 0 || harness.facts.length > 0 ? 0.3 : 0;
  },
  propose: (context) => [...learnt(context), ...forgotten(context)],
};

function learnt({ harness, trajectories }: OperatorContext): PatchDraft[] {
  const known = new Set(harness.facts);
  const episodes = new Map<string, Set<ContentHash>>();
  for (const { identity, events } of trajectories.filter(isSuccess)) {
    for (const event of events) {
      if (event.type !== 'memory-acted' || event.action !== 'noted' || known.has(event.detail)) continue;
      episodes.set(event.detail, (episodes.get(event.detail) ?? new Set<ContentHash>()).add(identity.task));
    }
  }
  const facts = [...episodes]
    .filter(([, tasks]) => tasks.size >= LEAST_EPISODES)
    .sort(([a, left], [b, right]) => right.size - left.size || (a < b ? -1 : 1))
    .slice(0, MOST_FACTS);
  if (facts.length === 0) return [];
  const before = harness.files.get(FILE) ?? '';
  const text = `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${facts.map(([fact]) => `- ${fact}\n`).join('')}`;
  return [
    {
      title: `remember ${facts.length} facts that the model noted again and again`,
      edits: present([fileEdit(harness, FILE, text)]),
      component: 'memory',
      probe: { kind: 'prompt-changed' },
      promise: 1,
      usesTasks: [...new Set(facts.flatMap(([, tasks]) => [...tasks]))].sort(),
    },
  ];
}

function forgotten({ harness }: OperatorContext): PatchDraft[] {
  return [...harness.files.keys()]
    .filter((file) => /^memory\/.+\.md$/.test(file))
    .map((file) => ({
      title: `forget the facts of ${file}`,
      edits: present([fileEdit(harness, file, undefined)]),
      component: 'memory',
      probe: { kind: 'prompt-changed' },
      promise: 0.4,
    }));
}
