import { describe, expect, it } from 'vitest';
import { type Journal, memoryJournal } from '../base/journal.ts';
import { modelReader } from '../critic/reader/model-reader.ts';
import { END_MARK } from '../critic/reader/read-reply.ts';
import { answers, calls, HARNESS, RAW, returns, rollout, says } from '../critic/rollout.fixture.ts';
import { scriptedBackend } from '../model/scripted-backend.ts';
import { type Critique, diagnoseFailures } from './diagnose-failures.ts';
import { runConfigSchema } from './run-config.ts';
import type { RunContext } from './run-context.ts';
import { TokenBudget } from './token-budget.ts';

const ANSWER = `${JSON.stringify({ label: 'prompt_ambiguity', component: 'prompt', path: 'prompts/system.md', mechanism: 'x', severity: 1, confidence: 0.9, evidence: [{ event: 'e0', quote: 'x' }], repair: null })}\n${END_MARK}`;
const mined = [rollout([says(0, RAW), calls(0), returns(0, '7'), says(1, '7 it is'), answers('7')])];

/** The parts of a run that diagnosing touches. */
function contextOf(
  journal: Journal,
  tokens: TokenBudget,
  asked: string[],
  critic: unknown = 'model:openai:http://127.0.0.1:1/v1#x',
): RunContext {
  const config = runConfigSchema.parse({
    name: 'x',
    model: { source: 'file:x' },
    tasks: {},
    verifier: { kind: 'numeric' },
    critic,
  });
  const backend = scriptedBackend({
    reply: ({ messages }) => {
      asked.push(messages[0]?.content ?? '');
      return ANSWER;
    },
  });
  const reader = config.critic.by === 'evidence' ? null : modelReader(backend, { name: config.critic.by });
  const parts: Partial<RunContext> = {
    config,
    journal,
    tokens,
    reader,
    seed: 1,
    signal: new AbortController().signal,
    emit: () => {},
  };
  return parts as RunContext;
}

describe('diagnoseFailures', () => {
  it('uses the rules alone by default, without a question or a journal row', async () => {
    const journal = memoryJournal();
    const asked: string[] = [];
    const diagnoses = await diagnoseFailures(
      contextOf(journal, new TokenBudget(null, 0), asked, 'evidence'),
      mined,
      HARNESS,
      1,
    );
    expect(diagnoses).toMatchObject([{ label: 'agent_error' }]);
    expect([asked.length, (await journal.entries('critique')).length]).toEqual([0, 0]);
  });

  it('asks the reader once, pays from the one budget, and after a kill takes the answers from the journal', async () => {
    const journal = memoryJournal();
    const tokens = new TokenBudget(null, 0);
    const asked: string[] = [];
    const first = await diagnoseFailures(contextOf(journal, tokens, asked), mined, HARNESS, 1);
    expect(first).toMatchObject([{ label: 'prompt_ambiguity', standing: 'firm' }]);
    expect(asked).toHaveLength(4);
    const [row] = (await journal.entries('critique')).map((entry) => entry.value as Critique);
    expect(row?.usage.calls).toBe(4);
    expect(tokens.spent).toBe((row?.usage.promptTokens ?? 0) + (row?.usage.completionTokens ?? 0));
    expect(tokens.spent).toBeGreaterThan(0);
    expect(await diagnoseFailures(contextOf(journal, tokens, asked), mined, HARNESS, 1)).toEqual(first);
    expect(asked).toHaveLength(4);
  });

  it('stops the run where the budget is spent, instead of judging without it', async () => {
    const context = contextOf(memoryJournal(), new TokenBudget(10, 10), []);
    await expect(diagnoseFailures(context, mined, HARNESS, 1)).rejects.toMatchObject({ code: 'budget-spent' });
  });
});
