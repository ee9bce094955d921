import { describe, expect, it } from 'vitest';
import { manualClock } from '../src/base/clock.ts';
import { contentHash } from '../src/base/content-hash.ts';
import { seededRandom } from '../src/base/random.ts';
import { diagnose } from '../src/critic/evidence-critic.ts';
import { applyEdits } from '../src/harness/apply-patch.ts';
import type { Harness } from '../src/harness/harness.ts';
import { harnessFromFiles } from '../src/harness/parse-harness.ts';
import type { GenerationRequest } from '../src/model/model-backend.ts';
import { scriptedBackend } from '../src/model/scripted-backend.ts';
import { aggregate } from '../src/patch/aggregate.ts';
import type { Patch } from '../src/patch/patch.ts';
import { patchSeen } from '../src/patch/patch-seen.ts';
import { proposePatches } from '../src/patch/propose.ts';
import { runRollout } from '../src/rollout/run-rollout.ts';
import { type Task, taskHash } from '../src/task/task.ts';
import type { Verifier } from '../src/task/verifier.ts';
import type { Trajectory } from '../src/trajectory/trajectory.ts';

const TOOL =
  'parameters: { type: object, properties: { expression: { type: string } }, required: [expression], additionalProperties: false }\nbackend: { kind: builtin, name: calculator }\n';

function phi(files: Record<string, string> = {}): Harness {
  const base = {
    'harness.yaml': 'name: demo\nlimits: { turns: 5 }\n',
    'prompts/system.md': 'Tools:\n{{tools}}',
    'tools/calculator/tool.yaml': TOOL,
  };
  return harnessFromFiles(new Map(Object.entries({ ...base, ...files })));
}

const TASKS: Task[] = Array.from({ length: 6 }, (_, index) => {
  const content = { problem: `What is ${index + 2} times 7?`, answer: String((index + 2) * 7) };
  return { id: `t${index}`, ...content, hash: taskHash(content), group: `g${index}` };
});
const verifier: Verifier = {
  version: contentHash('last number'),
  verify: async ({ answer }, said) => {
    const extracted = said?.match(/\d+/g)?.at(-1) ?? null;
    return { kind: 'scored', score: extracted === answer ? 1 : 0, extracted, why: '' };
  },
};

type Model = (request: GenerationRequest) => string;

async function rollOut(harness: Harness, reply: Model): Promise<Trajectory[]> {
  const fixed = { split: 'train', repeat: 0, seed: 1, verifier, sampling: null, clock: manualClock() } as const;
  return Promise.all(TASKS.map((task) => runRollout({ harness, model: scriptedBackend({ reply }), task, ...fixed })));
}

async function proposals(harness: Harness, trajectories: Trajectory[]): Promise<Patch[]> {
  const context = {
    harness,
    clusters: aggregate(diagnose(trajectories, harness)),
    trajectories,
    trainTasks: TASKS,
    successes: trajectories.filter(({ outcome }) => outcome.kind === 'scored' && outcome.score === 1),
    random: seededRandom(1),
    refused: new Set<never>(),
  };
  return proposePatches(context, { count: 500 });
}

const solvedShare = (trajectories: Trajectory[]) =>
  trajectories.filter(({ outcome }) => outcome.kind === 'scored' && outcome.score === 1).length / trajectories.length;

const operands = ({ messages }: GenerationRequest) => /What is (\d+) times/.exec(messages[1]?.content ?? '')?.[1];
const call = (expression: string, name = 'expression') =>
  JSON.stringify({ name: 'calculator', arguments: { [name]: expression } });
const turnOf = ({ messages }: GenerationRequest) => messages.filter(({ role }) => role === 'assistant').length;
const isTold = ({ messages }: GenerationRequest, text: string) => (messages.at(-1)?.content ?? '').includes(text);

/** Models that each fail in one way, and come right when the middleware does what it is for. */
const WORLDS: Record<string, Model> = {
  'loop-breaker': (request) =>
    isTold(request, 'this call before') ? `It is ${Number(operands(request)) * 7}.` : call(`${operands(request)}*7`),
  'void-turn-nudge': (request) => (isTold(request, 'was empty') ? `It is ${Number(operands(request)) * 7}.` : ''),
  'answer-commit': (request) => (turnOf(request) === 0 ? call(`${operands(request)}*7`) : 'There you are.'),
  'argument-repair': (request) =>
    /Error/.test(request.messages.at(-1)?.content ?? '') || turnOf(request) === 0
      ? call(`${operands(request)}*7${' '.repeat(turnOf(request))}`, 'query')
      : `It is ${request.messages.at(-1)?.content}.`,
  'self-check': (request) => {
    if (isTold(request, 'not an answer yet')) return call(`${operands(request)}*7`);
    return turnOf(request) < 2 ? 'I would calculate.' : `It is ${request.messages.at(-1)?.content}.`;
  },
};

describe('middleware evolves by diffs', () => {
  it.each(Object.entries(WORLDS))(
    '%s is proposed from what failed, is seen to act, and mends it',
    async (kind, model) => {
      const parent = phi();
      const failed = await rollOut(parent, model);
      expect(solvedShare(failed)).toBe(0);
      const patch = (await proposals(parent, failed)).find(({ proposer }) => proposer === kind);
      expect(patch?.target).not.toBeNull();
      const child = applyEdits(parent, patch?.edits ?? []);
      const mended = await rollOut(child, model);
      expect(solvedShare(mended)).toBe(1);
      expect(patchSeen(patch as Patch, failed, mended)).toMatchObject({ alive: true });
      expect(await proposals(child, mended)).not.toContainEqual(expect.objectContaining({ proposer: kind }));
    },
  );

  it('a hook that never fires is dead, whatever the score does', async () => {
    const parent = phi();
    const failed = await rollOut(parent, WORLDS['void-turn-nudge'] as Model);
    const patch = (await proposals(parent, failed)).find(({ proposer }) => proposer === 'void-turn-nudge') as Patch;
    const unmoved = await rollOut(
      applyEdits(parent, patch.edits),
      (request) => `It is ${Number(operands(request)) * 7}.`,
    );
    expect(patchSeen(patch, failed, unmoved)).toEqual({
      alive: false,
      why: '0 of 6 child rollouts show the middleware 10-void-turn-nudge act.',
    });
  });

  it('what a hook hid is laid to that hook, and diffs let it act later or take it away', async () => {
    const cap = 'kind: output-cap\noptions: { headCharacters: 1, tailCharacters: 0 }\n';
    const parent = phi({ 'middleware/40-cap.yaml': cap });
    const model: Model = (request) => {
      const last = request.messages.at(-1)?.content ?? '';
      return /^\d{60,}$/.test(last) ? `It is ${Number(operands(request)) * 7}.` : call(`${operands(request)}**200`);
    };
    const failed = await rollOut(parent, model);
    expect(diagnose(failed, parent)[0]).toMatchObject({
      label: 'middleware_mismatch',
      mechanism: 'hook-hid-value',
      path: 'middleware/40-cap.yaml',
    });
    const patches = await proposals(parent, failed);
    const later = patches.find(({ proposer }) => proposer === 'middleware-limit') as Patch;
    expect(applyEdits(parent, later.edits).middleware[0]?.options).toMatchObject({ headCharacters: 2 });
    const without = patches.find(({ proposer }) => proposer === 'drop-middleware') as Patch;
    const mended = await rollOut(applyEdits(parent, without.edits), model);
    expect(solvedShare(mended)).toBe(1);
    expect(patchSeen(without, failed, mended)).toMatchObject({ alive: true });
  });

  it('a verification turn that needs a turn more is tagged as bought', async () => {
    const parent = phi();
    const patches = await proposals(parent, await rollOut(parent, () => 'It is 1.'));
    const checks = patches.filter(({ proposer }) => proposer === 'verification-turn');
    expect(checks.map(({ edits, relaxes }) => [applyEdits(parent, edits).settings.limits.turns, relaxes])).toEqual(
      expect.arrayContaining([
        [6, ['turns']],
        [5, []],
      ]),
    );
  });
});
