import { describe, expect, it } from 'vitest';
import { seededRandom } from '../src/base/random.ts';
import { diagnose } from '../src/critic/evidence-critic.ts';
import { applyEdits } from '../src/harness/apply-patch.ts';
import type { Harness } from '../src/harness/harness.ts';
import type { GenerationRequest } from '../src/model/model-backend.ts';
import { aggregate } from '../src/patch/aggregate.ts';
import type { Patch } from '../src/patch/patch.ts';
import { patchSeen } from '../src/patch/patch-seen.ts';
import { proposePatches } from '../src/patch/propose.ts';
import { calculate, callOf, harnessWith, lastNumber, rollOut } from '../src/rollout/scripted-rollout.fixture.ts';
import { type Task, taskHash } from '../src/task/task.ts';
import type { Trajectory } from '../src/trajectory/trajectory.ts';

const SYSTEM = { 'prompts/system.md': 'Tools:\n{{tools}}' };
const TASKS: Task[] = Array.from({ length: 4 }, (_, index) => {
  const content = { problem: `What is 6 times 7, number ${index}?`, answer: '42' };
  return {
    id: `t${index}`,
    ...content,
    hash: taskHash(content),
    group: `g${index}`,
    reference: {
      calls: [6 * (index + 1), 7].map((value) => ({ tool: 'calculator', arguments: { expression: `${value}+0` } })),
    },
  };
});

type Model = (request: GenerationRequest) => string;
const rollOutAll = (harness: Harness, model: Model) =>
  Promise.all(TASKS.map((task) => rollOut(harness, model, { task, verifier: lastNumber })));

function proposals(harness: Harness, trajectories: Trajectory[]): Patch[] {
  return proposePatches(
    {
      harness,
      clusters: aggregate(diagnose(trajectories, harness)),
      trajectories,
      trainTasks: TASKS,
      successes: [],
      random: seededRandom(1),
      refused: new Set(),
    },
    { count: 500 },
  );
}
const solved = (trajectories: Trajectory[]) =>
  trajectories.filter(({ outcome }) => outcome.kind === 'scored' && outcome.score === 1).length;
const sent = ({ messages }: GenerationRequest) => messages.map(({ content }) => content).join('\n');

describe('memory evolves by diffs', () => {
  it('a result that was dropped and missed is laid to memory; policies that keep it are proposed, seen to act, and mend it', async () => {
    const settings = 'limits: { turns: 8 }\n';
    const parent = harnessWith({ ...SYSTEM, 'memory.yaml': 'historyTokens: 140\n' }, settings);
    const first = calculate('6*7');
    const model: Model = (request) => {
      if (!sent(request).includes(first) && !/\b42\b/.test(sent(request))) return first;
      if (/\d{300}/.test(sent(request)) || sent(request).includes('left out')) {
        return /\b42\b/.test(sent(request)) ? 'It is 42.' : first;
      }
      return calculate('3**900');
    };
    const failed = await rollOutAll(parent, model);
    expect(solved(failed)).toBe(0);
    expect(diagnose(failed, parent)[0]).toMatchObject({ label: 'memory_overflow', mechanism: 'history-trimmed' });
    const patches = proposals(parent, failed).filter(({ proposer }) => proposer === 'memory-policy');
    expect(patches.map(({ title, relaxes }) => [title, relaxes])).toEqual(
      expect.arrayContaining([
        ['shorten large results before turns are dropped', []],
        ['sum up turns before they are dropped', ['turns']],
      ]),
    );
    const patch = patches.find(({ title }) => title.startsWith('find passages')) as Patch;
    const mended = await rollOutAll(applyEdits(parent, patch.edits), model);
    expect(patchSeen(patch, failed, mended)).toMatchObject({ alive: true });
  });

  it('notes that several solved episodes kept become facts of φ, and the diff names the tasks they come from', async () => {
    const parent = harnessWith({ ...SYSTEM, 'memory.yaml': 'notes: { tokens: 50 }\n' });
    const model: Model = ({ messages }) =>
      messages.some(({ role }) => role === 'assistant') ? 'It is 42.' : callOf('note', { text: 'six sevens are 42' });
    const trajectories = await rollOutAll(parent, model);
    const patch = proposals(parent, trajectories).find(({ proposer }) => proposer === 'remember-facts') as Patch;
    const child = applyEdits(parent, patch.edits);
    expect(child.facts).toEqual(['six sevens are 42']);
    expect(patch.usesTasks).toHaveLength(4);
    expect(child.hash).not.toBe(parent.hash);
    expect(patchSeen(patch, trajectories, await rollOutAll(child, model))).toMatchObject({ alive: true });
  });
});

describe('skills evolve by diffs', () => {
  const text = '---\nname: plan\ndescription: Plans.\nmetadata:\n  load: call\n---\nUse the calculator.\n';

  it('one that is never loaded is laid to the skill, and is shown always instead', async () => {
    const parent = harnessWith({ ...SYSTEM, 'skills/plan/SKILL.md': text });
    const model: Model = (request) => {
      if (!sent(request).includes('Use the calculator.')) return 'I am not sure.';
      return /^42$/m.test(sent(request)) ? 'It is 42.' : calculate('6*7');
    };
    const failed = await rollOutAll(parent, model);
    expect(diagnose(failed, parent)[0]).toMatchObject({ label: 'skill_missing', path: 'skills/plan/SKILL.md' });
    const patch = proposals(parent, failed).find(({ title }) => title === 'show the skill plan always') as Patch;
    const mended = await rollOutAll(applyEdits(parent, patch.edits), model);
    expect(solved(mended)).toBe(4);
    expect(patchSeen(patch, failed, mended)).toMatchObject({ alive: true });
  });

  it('routines that solved several tasks are written down, and the diff names the tasks they come from', async () => {
    const parent = harnessWith(SYSTEM);
    const patch = proposals(parent, await rollOutAll(parent, () => 'no')).find(
      ({ proposer }) => proposer === 'add-skill',
    );
    const child = applyEdits(parent, patch?.edits ?? []);
    expect(child.skills[0]).toMatchObject({ name: 'worked-routines', load: 'always' });
    expect(child.skills[0]?.text).toMatch(/calculator \{"expression":"\d+\+0"\}, then calculator/);
    expect(patch?.usesTasks.length).toBeGreaterThan(0);
  });
});
