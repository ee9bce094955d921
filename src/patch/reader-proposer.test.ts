import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { commandReader } from '../critic/reader/command-reader.ts';
import { modelReader } from '../critic/reader/model-reader.ts';
import { scriptedReader, whole } from '../critic/reader/scripted-reader.fixture.ts';
import { answers, HARNESS, rollout, says } from '../critic/rollout.fixture.ts';
import { scriptedBackend } from '../model/scripted-backend.ts';
import type { ProposalContext } from './patch-operator.ts';
import { askProposer } from './reader/ask-proposer.ts';
import { PROPOSALS_END_MARK } from './reader/read-proposals.ts';

const FAILED = rollout([says(0, 'The value is eight.'), answers('8')]);
const CONTEXT: ProposalContext = {
  harness: HARNESS,
  clusters: [
    {
      label: 'prompt_ambiguity',
      component: 'prompt',
      path: 'prompts/system.md',
      mechanism: 'no-contract',
      explanation: 'Nothing says what a reply looks like.',
      count: 3,
      recurrence: 1,
      severity: 1,
      confidence: 0.8,
      agreement: 1,
      weight: 0.8,
      rollouts: [],
    },
  ],
  trajectories: [FAILED],
  trainTasks: [],
  successes: [],
  random: seededRandom(1),
  refused: new Set(),
};

const EDIT = {
  path: 'prompts/system.md',
  old: 'Use the tools.\n{{tools}}\n',
  new: 'Use the tools.\n{{tools}}\nEnd with the number.\n',
};
const proposal = (changes: object = {}) => ({
  title: 'say how a reply ends',
  cause: 1,
  edits: [EDIT],
  predicted_fixes: 0.5,
  predicted_regressions: 0.1,
  predicted_cost: 0.2,
  ...changes,
});
const written = (...proposals: object[]) => `${JSON.stringify({ proposals })}\n${PROPOSALS_END_MARK}\n`;

describe('askProposer', () => {
  it('makes patches of what a reader writes, with cause, scope, probe and predictions', async () => {
    const reply = { ...whole(written(proposal())), usage: { promptTokens: 100, completionTokens: 10 } };
    const { patches, usage, refusals } = await askProposer(scriptedReader(reply), CONTEXT, { count: 4 });
    expect(patches).toMatchObject([
      {
        base: HARNESS.hash,
        proposer: 'scripted',
        target: { label: 'prompt_ambiguity', mechanism: 'no-contract' },
        edits: [{ path: EDIT.path, old: EDIT.old, value: EDIT.new }],
        scope: ['prompt'],
        probe: { kind: 'prompt-changed' },
        relaxes: [],
        predictedFix: 0.5,
        predictedRegression: 0.1,
        predictedCost: 0.2,
      },
    ]);
    expect(refusals).toEqual([]);
    expect(usage).toEqual({ calls: 1, promptTokens: 100, completionTokens: 10 });
  });

  it('shows findings, files of φ and raw runs, and asks for so many', async () => {
    const reader = scriptedReader(whole(written()));
    await askProposer(reader, CONTEXT, { count: 3 });
    for (const shown of ['Finding 1: 3 failures', '[prompts/system.md] Use the tools.', 'at most 3 proposals'])
      expect(reader.prompts[0]).toContain(shown);
  });

  it('reads a null as a removal and a raised limit as a relaxation', async () => {
    const edits = [{ path: 'harness.yaml#/limits', new: { turns: 90 } }];
    const removal = [{ path: 'prompts/tool-result.md', old: 'Observation: {{result}}\n', new: null }];
    const text = written(proposal({ edits, cause: null }), proposal({ edits: removal }));
    const { patches } = await askProposer(scriptedReader(whole(text)), CONTEXT, { count: 4 });
    expect(patches[0]).toMatchObject({ relaxes: ['turns'], probe: { kind: 'setting-changed' }, target: null });
    expect(patches[1]?.edits).toEqual([{ path: 'prompts/tool-result.md', old: 'Observation: {{result}}\n' }]);
  });

  it('has another number of rollouts in flight seen by their batches', async () => {
    const edits = [{ path: 'harness.yaml#/batching', new: { inFlight: 4 } }];
    const { patches } = await askProposer(scriptedReader(whole(written(proposal({ edits })))), CONTEXT, { count: 4 });
    expect(patches[0]?.probe).toEqual({ kind: 'in-flight-changed' });
  });

  const good = written(proposal());
  it.each([
    ['cut by length', { kind: 'text', text: good, isComplete: false } as const],
    ['with an open think block', whole(`<think>hm ${good}`)],
    ['without its end mark', whole(good.replace(PROPOSALS_END_MARK, ''))],
    ['of another form', whole(written({ title: 'no edits' }))],
  ])('refuses a reply %s, asks once more with less, and then uses nothing', async (_what, reply) => {
    const again = scriptedReader(reply, whole(good));
    const second = await askProposer(again, CONTEXT, { count: 4 });
    expect([second.patches.length, second.refusals.length, again.prompts.length]).toEqual([1, 1, 2]);
    expect(again.prompts[1]?.length).toBeLessThan(again.prompts[0]?.length ?? 0);
    const never = await askProposer(scriptedReader(reply, reply, whole(good)), CONTEXT, { count: 4 });
    expect([never.patches, never.refusals.length, never.usage.calls]).toEqual([[], 2, 2]);
  });

  it('takes no more than it asked for', async () => {
    const reader = scriptedReader(whole(written(proposal(), proposal({ title: 'b' }))));
    const { patches } = await askProposer(reader, CONTEXT, { count: 1 });
    expect(patches).toHaveLength(1);
  });

  it('asks a model through its backend', async () => {
    const model = scriptedBackend({ reply: () => good, windowTokens: 20_000 });
    const { patches, usage } = await askProposer(modelReader(model, { name: 'm' }), CONTEXT, { count: 2 });
    expect(patches).toHaveLength(1);
    expect(usage.calls).toBe(1);
  });

  it('asks a program that reads its input and answers to it', async () => {
    const script = `let text = ''; process.stdin.on('data', (part) => (text += part)).on('end', () => {
      const old = /\\[prompts\\/system\\.md\\] ([\\s\\S]*?)\\n\\[/.exec(text)[1];
      const edits = [{ path: 'prompts/system.md', old: old + '\\n', new: old + '\\nEnd with the number.\\n' }];
      console.log(JSON.stringify({ proposals: [{ title: 'say how a reply ends', cause: 1, edits }] }));
      console.log(${JSON.stringify(PROPOSALS_END_MARK)});
    });`;
    const reader = commandReader({ command: [process.execPath, '-e', script], timeoutMs: 60_000 });
    const { patches, refusals } = await askProposer(reader, CONTEXT, { count: 2 });
    expect(refusals).toEqual([]);
    expect(patches[0]?.title).toBe('say how a reply ends');
    expect(patches[0]?.predictedFix).toBeNull();
  });
});
