import { describe, expect, it } from 'vitest';
import { manualClock } from '../base/clock.ts';
import { applyEdits } from '../harness/apply-patch.ts';
import type { Harness } from '../harness/harness.ts';
import { harnessFromFiles } from '../harness/parse-harness.ts';
import type { PatchEdit } from '../harness/patch-edit.ts';
import type { ModelBackend } from '../model/model-backend.ts';
import { scriptedBackend } from '../model/scripted-backend.ts';
import { runRollout } from '../rollout/run-rollout.ts';
import { numericVerifier } from '../task/numeric-verifier.ts';
import { type Task, taskHash } from '../task/task.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { firstChangedTurn } from './first-change.ts';
import { placeboEdits } from './placebo-edits.ts';
import type { ReplayCase } from './replay-case.ts';
import { type ReplayOptions, replayCause } from './replay-cause.ts';

const FILES = {
  'harness.yaml': 'name: sums\nlimits: { turns: 3, tokensPerTurn: 200 }\n',
  'prompts/system.md': 'Add numbers with calls like {"name": "calculator", "arguments": {"expression": "1 + 1"}}\n',
  'prompts/tool-result.md': 'It gave {{result}}\n',
  'tools/calculator/tool.yaml':
    'name: calculator\ndescription: Works out an expression.\nparameters: { type: object, properties: { expression: { type: string } }, required: [expression] }\nbackend: { kind: builtin, name: calculator }\n',
};

function harnessWith(files: Record<string, string> = {}): Harness {
  return harnessFromFiles(new Map(Object.entries({ ...FILES, ...files })));
}

function sumTask(index: number): Task {
  const content = { problem: `What do ${index} and 5 make?`, answer: String(index + 5) };
  return { id: `sum-${index}`, group: `sum-${index}`, hash: taskHash(content), ...content };
}

/**
 * Calls first; then it says the number it was shown, and wrongly where it was shown none. Asked with a seed it did not see before, it is right by luck
 * in `luck` of the cases.
 */
function adder({ luck = 0 }: { luck?: number } = {}): { model: ModelBackend; asked: () => number } {
  let asked = 0;
  const model = scriptedBackend({
    reply: ({ messages, seed, sampling }) => {
      asked++;
      const numbers = /What do (\d+) and 5 make/.exec(messages.map(({ content }) => content).join('\n'));
      const last = messages.at(-1)?.content ?? '';
      const right = String(Number(numbers?.[1]) + 5);
      if (last.includes('make?')) return `{"name": "calculator", "arguments": {"expression": "${numbers?.[1]} + 5"}}`;
      if (sampling.temperature > 0 && (seed % 1000) / 1000 < luck) return right;
      return /It gave (\d+)/.exec(last)?.[1] ?? '0';
    },
  });
  return { model, asked: () => asked };
}

const HOT = { temperature: 0.7, topP: 1, topK: 0 };

async function failuresUnder(harness: Harness, model: ModelBackend, count = 8): Promise<ReplayCase[]> {
  const cases: ReplayCase[] = [];
  for (let index = 0; index < count; index++) {
    const task = sumTask(index);
    cases.push({ task, trajectory: await rollOut(harness, model, task) });
  }
  return cases;
}

function rollOut(harness: Harness, model: ModelBackend, task: Task): Promise<Trajectory> {
  return runRollout({
    harness,
    model,
    task,
    split: 'train',
    repeat: 0,
    seed: 3,
    verifier: numericVerifier(),
    sampling: null,
    clock: manualClock(),
  });
}

function replayed(
  cases: readonly ReplayCase[],
  harness: Harness,
  model: ModelBackend,
  edits: readonly PatchEdit[],
  options: Partial<ReplayOptions> = {},
) {
  const setting = { harness, model, verifier: numericVerifier(), clock: manualClock(), sampling: HOT, samples: 2 };
  return replayCause(cases, edits, setting, { alpha: 0.05, against: 'placebo', ...options });
}

const SILENT = { 'prompts/tool-result.md': '\n' };
const SHOW_RESULTS: PatchEdit[] = [{ path: 'prompts/tool-result.md', old: '\n', value: 'It gave {{result}}\n' }];

describe('replaying a cause', () => {
  it('confirms a cause whose patch repairs the failures where its placebo does not', async () => {
    const harness = harnessWith(SILENT);
    const { model } = adder();
    const result = await replayed(await failuresUnder(harness, model), harness, model, SHOW_RESULTS);
    expect(result).toMatchObject({ verdict: 'confirmed', groups: 8, means: { patch: 1, placebo: 0 } });
  });

  it('gives what came before the first changed event again, without asking the model', async () => {
    const harness = harnessWith(SILENT);
    const { model, asked } = adder();
    const cases = await failuresUnder(harness, model);
    const before = asked();
    const { usage } = await replayed(cases, harness, model, SHOW_RESULTS);
    // Two turns a rollout, and the patch first acts in the second: one call for each of 8 cases × 2 arms × 2 samples.
    expect(asked() - before).toBe(32);
    expect(usage.modelCalls).toBe(32);
  });

  it('does not confirm a patch under failures that another sample cures anyway, and would without the placebo arm', async () => {
    const harness = harnessWith(SILENT);
    const { model } = adder({ luck: 0.6 });
    const useless: PatchEdit[] = [{ path: 'prompts/tool-result.md', old: '\n', value: 'There it is.\n' }];
    const cases = await failuresUnder(harness, model, 12);
    expect((await replayed(cases, harness, model, useless)).verdict).toBe('refuted');
    expect((await replayed(cases, harness, model, useless, { against: 'record' })).verdict).toBe('confirmed');
  });

  it('says so when a patch changes nothing in the rollouts it is meant for', async () => {
    const harness = harnessWith(SILENT);
    const { model } = adder();
    const idle: PatchEdit[] = [{ path: 'prompts/error-feedback.md', value: 'Wrong: {{problem}}\n' }];
    expect((await replayed(await failuresUnder(harness, model), harness, model, idle)).verdict).toBe('dead');
  });

  it('blames something else where only a supplied correction helps', async () => {
    const harness = harnessWith(SILENT);
    const { model } = adder();
    const useless: PatchEdit[] = [
      { path: 'prompts/system.md', old: FILES['prompts/system.md'], value: 'Add numbers.\n' },
    ];
    const cases = (await failuresUnder(harness, model)).map((one, index) => ({
      ...one,
      supplied: { observation: { turn: 0, text: `It gave ${index + 5}` } },
    }));
    const result = await replayed(cases, harness, model, useless);
    expect(result).toMatchObject({ verdict: 'elsewhere', means: { observation: 1, action: null } });
    // Patch and placebo from the first turn on, the observation only from the second: 8 cases × 2 samples × (2 + 2 + 1) calls.
    expect(result.usage.modelCalls).toBe(80);
  });

  it('gives a supplied action in the place of the reply, under the harness as it was', async () => {
    const harness = harnessWith(SILENT);
    const { model } = adder();
    const useless: PatchEdit[] = [{ path: 'prompts/tool-result.md', old: '\n', value: 'There it is.\n' }];
    const cases = (await failuresUnder(harness, model)).map((one, index) => ({
      ...one,
      supplied: { action: { turn: 1, text: String(index + 5) } },
    }));
    const result = await replayed(cases, harness, model, useless);
    expect(result).toMatchObject({ verdict: 'elsewhere', means: { patch: 0, observation: null, action: 1 } });
  });

  it('asks anew for a reply that was cut where the patch moves the limit that cut it', async () => {
    const limits = (tokens: number) => `name: sums\nlimits: { turns: 3, tokensPerTurn: ${tokens} }\n`;
    const harness = harnessWith({ 'harness.yaml': limits(20) });
    const { model } = adder();
    const wider: PatchEdit[] = [{ path: 'harness.yaml', old: limits(20), value: limits(200) }];
    const result = await replayed(await failuresUnder(harness, model), harness, model, wider);
    expect(result).toMatchObject({ verdict: 'confirmed', means: { patch: 1, placebo: 0 } });
  });

  it('refuses to decide on so few groups that nothing could be shown', async () => {
    const harness = harnessWith(SILENT);
    const { model, asked } = adder();
    const cases = await failuresUnder(harness, model, 4);
    const before = asked();
    expect((await replayed(cases, harness, model, SHOW_RESULTS)).verdict).toBe('too-few');
    expect(asked()).toBe(before);
  });
});

describe('the placebo of a patch', () => {
  it('touches the same files, changes what the model reads in texts, and no word of it', () => {
    const harness = harnessWith();
    const edits = placeboEdits(harness, [{ path: 'prompts/system.md', value: 'Anything\n' }]);
    const placebo = applyEdits(harness, edits);
    expect(placebo.prompts.system).not.toBe(harness.prompts.system);
    expect(placebo.prompts.system?.split(/\s+/)).toEqual(harness.prompts.system?.split(/\s+/).concat(''));
  });

  it('leaves the values of YAML files as they are', () => {
    const harness = harnessWith();
    const placebo = applyEdits(
      harness,
      placeboEdits(harness, [{ path: 'harness.yaml#/limits/turns', old: 3, value: 9 }]),
    );
    expect(placebo.settings).toEqual(harness.settings);
    expect(placebo.hash).not.toBe(harness.hash);
  });
});

describe('the first change between two rollouts', () => {
  it('is the turn whose request differs, and none where only limits differ that were not met', async () => {
    const { model } = adder();
    const [silent, shown] = [harnessWith(SILENT), harnessWith()];
    const wider = harnessWith({ 'harness.yaml': 'name: sums\nlimits: { turns: 3, tokensPerTurn: 400 }\n' });
    const [one, two, three] = [
      await rollOut(silent, model, sumTask(1)),
      await rollOut(shown, model, sumTask(1)),
      await rollOut(wider, model, sumTask(1)),
    ];
    expect(firstChangedTurn(one, two)).toBe(1);
    expect(firstChangedTurn(two, three)).toBeNull();
  });
});
