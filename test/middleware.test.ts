import { describe, expect, it } from 'vitest';
import { selectTrainingRows } from '../src/alignment/select-training-rows.ts';
import { harnessFromFiles } from '../src/harness/parse-harness.ts';
import type { GenerationRequest } from '../src/model/model-backend.ts';
import type { ScriptedReply } from '../src/model/scripted-backend.ts';
import type { HookSandbox } from '../src/rollout/middleware/middleware.ts';
import { lastNumber, rollOut } from '../src/rollout/scripted-rollout.fixture.ts';
import { javaScriptSandbox } from '../src/sandbox/javascript-sandbox.ts';
import { modelCalls } from '../src/trajectory/model-calls.ts';
import type { Trajectory, TrajectoryEvent } from '../src/trajectory/trajectory.ts';

const TOOL = `parameters:
  type: object
  properties: { expression: { type: string }, digits: { type: integer } }
  required: [expression]
  additionalProperties: false
backend: { kind: builtin, name: calculator }
`;
const call = (expression: string) => `{"name": "calculator", "arguments": {"expression": "${expression}"}}`;

function phi(middleware: Record<string, string>, settings = 'limits: { turns: 5 }\n') {
  const files = Object.entries(middleware).map(([name, text]): [string, string] => [`middleware/${name}`, text]);
  return harnessFromFiles(
    new Map([['harness.yaml', `name: demo\n${settings}`], ['tools/calculator/tool.yaml', TOOL], ...files]),
  );
}

/** Replies in turn, whatever the requests are. */
async function run(
  harness: ReturnType<typeof phi>,
  replies: readonly (string | ScriptedReply)[],
  { hooks, seen }: { hooks?: HookSandbox['run']; seen?: (request: GenerationRequest) => void } = {},
): Promise<Trajectory> {
  const left = [...replies];
  const reply = (request: GenerationRequest) => {
    seen?.(request);
    return left.shift() ?? 'nothing left to say';
  };
  const toolHosts = {
    javaScript: { ...javaScriptSandbox(), ...(hooks === undefined ? {} : { run: hooks }) },
    python: null,
  };
  return rollOut(harness, reply, { toolHosts });
}

type Acted = Extract<TrajectoryEvent, { type: 'middleware-acted' }>;
const actions = ({ events }: Trajectory): string[] =>
  events
    .filter((event): event is Acted => event.type === 'middleware-acted')
    .map(({ kind, action }) => `${kind} ${action}`);
const lastShown = (trajectory: Trajectory) => modelCalls(trajectory).at(-1)?.messages.at(-1)?.content;

/** Texts that D_t would train on. */
function targets(trajectory: Trajectory, harness: ReturnType<typeof phi>): string[] {
  const rule = { harness, model: trajectory.identity.model, verifier: lastNumber.version };
  return selectTrainingRows([trajectory], rule).rows.map(({ inputIds, supervised }) =>
    supervised.map(([from, to]) => String.fromCodePoint(...inputIds.slice(from, to - 1))).join(''),
  );
}

describe('every built-in kind acts, says so in an event, and leaves nothing of its own to be trained on', () => {
  it('loop-breaker: the same call does not run twice, and the model is told what it gave', async () => {
    const harness = phi({ '10-loop.yaml': 'kind: loop-breaker\n' });
    const trajectory = await run(harness, [call('6*7'), call('6*7'), 'It is 42.']);
    expect(trajectory.events.filter(({ type }) => type === 'tool-returned')).toHaveLength(1);
    expect(lastShown(trajectory)).toMatch(/You made this call before.*It gave: 42/s);
    expect(actions(trajectory)).toEqual(['loop-breaker stopped-call']);
    expect(targets(trajectory, harness)).toEqual([call('6*7'), 'It is 42.']);
  });

  it('loop-breaker: an unreadable reply that is repeated word for word is answered', async () => {
    const broken = '{"name": "calculator", "arguments": {"expr';
    const harness = phi({ '10-loop.yaml': 'kind: loop-breaker\n' });
    expect(actions(await run(harness, [broken, broken, '42']))).toEqual(['loop-breaker asked-again']);
  });

  it('void-turn-nudge: an empty reply is asked again with another seed, and alternating roles stay', async () => {
    const harness = phi({ '10-nudge.yaml': 'kind: void-turn-nudge\n' });
    const trajectory = await run(harness, ['', ' ', 'It is 42.']);
    expect(trajectory).toMatchObject({ answer: 'It is 42.', outcome: { score: 1 } });
    expect(actions(trajectory)).toEqual(['void-turn-nudge asked-again', 'void-turn-nudge asked-again']);
    const calls = modelCalls(trajectory);
    expect(calls.at(-1)?.messages.map(({ role }) => role)).toEqual(['user']);
    expect(new Set(calls.map(({ seed }) => seed)).size).toBe(3);
    expect(targets(trajectory, harness)).toEqual(['It is 42.']);
  });

  it('void-turn-nudge: gives up after its number of nudges', async () => {
    const harness = phi({ '10-nudge.yaml': 'kind: void-turn-nudge\noptions: { nudges: 1 }\n' });
    expect(await run(harness, ['', '', '42'])).toMatchObject({ answer: null });
  });

  it('output-cap: shows head and tail of a long result; the value stays whole', async () => {
    const harness = phi({ '10-cap.yaml': 'kind: output-cap\noptions: { headCharacters: 4, tailCharacters: 2 }\n' });
    const trajectory = await run(harness, [call('7**60'), '42']);
    expect(lastShown(trajectory)).toMatch(/^5080… \[\d+ characters left out\] …\d\d$/);
    const returned = trajectory.events.find((event) => event.type === 'tool-returned');
    expect(returned).toMatchObject({ value: String(7n ** 60n) });
    expect(targets(trajectory, harness)).toEqual([call('7**60'), '42']);
  });

  it('answer-commit: states the tool’s value where the answer does not; that turn is no target', async () => {
    const harness = phi({ '10-commit.yaml': 'kind: answer-commit\n' });
    const trajectory = await run(harness, [call('6*7'), 'I have worked it out.']);
    expect(trajectory).toMatchObject({ answer: 'I have worked it out.\nThe answer is 42', outcome: { score: 1 } });
    expect(targets(trajectory, harness)).toEqual([call('6*7')]);
    expect(actions(await run(harness, [call('6*7'), 'So it is 42.']))).toEqual([]);
    expect(actions(await run(harness, [call('6*7'), 'So it is 420.']))).toEqual(['answer-commit changed-answer']);
    expect(actions(await run(harness, [call('600*7'), 'So it is 4,200.']))).toEqual([]);
  });

  it('self-check: an answer that breaks a rule goes back once', async () => {
    const harness = phi({ '10-check.yaml': 'kind: self-check\noptions: { pattern: "\\\\d+", needsValue: true }\n' });
    const trajectory = await run(harness, ['It is 41.', call('6*7'), 'It is 42.']);
    expect(trajectory).toMatchObject({ answer: 'It is 42.' });
    expect(modelCalls(trajectory)[1]?.messages.at(-1)?.content).toContain('no tool was used for it');
    expect(targets(trajectory, harness)).toEqual([call('6*7'), 'It is 42.']);
    expect(await run(harness, ['41', '41', '42'])).toMatchObject({ answer: '41' });
  });

  it.each([
    ['a number as text', '{"name": "calculator", "arguments": {"expression": "6*7", "digits": "3"}}'],
    ['a wrong name', '{"name": "calculator", "arguments": {"query": "6*7"}}'],
    ['Python’s quotes and a trailing comma', "{'name': 'calculator', 'arguments': {'expression': '6*7',},}"],
    ['missing closing braces', '{"name": "calculator", "arguments": {"expression": "6*7"'],
  ])('argument-repair: %s', async (_case, reply) => {
    const harness = phi({ '10-repair.yaml': 'kind: argument-repair\n' });
    const trajectory = await run(harness, [reply, 'It is 42.']);
    expect(trajectory.events.map(({ type }) => type)).toContain('tool-returned');
    expect(actions(trajectory)).toHaveLength(1);
    expect(targets(trajectory, harness)).toEqual(['It is 42.']);
  });

  it('argument-repair: what the schema would still refuse is left to the model', async () => {
    const harness = phi({ '10-repair.yaml': 'kind: argument-repair\n' });
    const trajectory = await run(harness, ['{"name": "calculator", "arguments": {"a": "1", "b": "2"}}', '42']);
    expect(trajectory.events.map(({ type }) => type)).toContain('tool-refused');
    expect(actions(trajectory)).toEqual([]);
  });

  it('context-trimming: shortens older results and keeps the exchanges', async () => {
    const options = '{ aboveTokens: 60, keepExchanges: 1, characters: 5 }';
    const harness = phi({ '10-trim.yaml': `kind: context-trimming\noptions: ${options}\n` });
    const trajectory = await run(harness, [call('7**200'), call('6*7'), '42']);
    const messages = modelCalls(trajectory).at(-1)?.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
    expect(messages[2]?.content).toMatch(/^\d{5}… \[\d+ characters left out\] …$/);
    expect(actions(trajectory)).toEqual(['context-trimming rewrote-history']);
  });

  it('budget-reminder: says once how many replies are left', async () => {
    const harness = phi({ '10-budget.yaml': 'kind: budget-reminder\noptions: { turns: 3 }\n' });
    const trajectory = await run(harness, [call('1+1'), call('1+2'), call('1+3'), call('1+4'), '42']);
    expect(actions(trajectory)).toEqual(['budget-reminder said']);
    expect(modelCalls(trajectory)[2]?.messages.at(-1)?.content).toBe(
      '3\n\nYou can write 3 more replies, this one included.',
    );
  });

  it('verification-turn: an answer is checked once, inside the turn limit', async () => {
    const harness = phi({ '10-verify.yaml': 'kind: verification-turn\n' });
    const trajectory = await run(harness, ['It is 41.', 'Indeed, it is 42.']);
    expect(trajectory).toMatchObject({ answer: 'Indeed, it is 42.', outcome: { score: 1 } });
    expect(targets(trajectory, harness)).toEqual(['Indeed, it is 42.']);
    expect(await run(harness, ['It is 42.', ''])).toMatchObject({ answer: 'It is 42.' });
    const short = phi({ '10-verify.yaml': 'kind: verification-turn\n' }, 'limits: { turns: 1 }\n');
    expect(actions(await run(short, ['42']))).toEqual([]);
  });

  it('verification-turn: where the tool’s value is the answer, it stands when the check brings none', async () => {
    const harness = phi(
      { '10-verify.yaml': 'kind: verification-turn\n' },
      'answer: { from: tool }\nlimits: { turns: 4 }\n',
    );
    expect(await run(harness, [call('6*7'), 'It holds.'])).toMatchObject({ answer: '42', outcome: { score: 1 } });
  });
});

describe('the chain', () => {
  it('runs middleware in file order: what one changed is what the next sees', async () => {
    const harness = phi({
      '10-commit.yaml': 'kind: answer-commit\n',
      '20-check.yaml': 'kind: self-check\noptions: { pattern: "The answer is" }\n',
    });
    expect(actions(await run(harness, [call('6*7'), 'Done.']))).toEqual(['answer-commit changed-answer']);
  });

  it('never makes more model calls than limits.turns, whatever hooks ask for', async () => {
    const files = {
      '10-nudge.yaml': 'kind: void-turn-nudge\noptions: { nudges: 99 }\n',
      '20-check.yaml': 'kind: self-check\noptions: { pattern: nowhere, asks: 99 }\n',
      '30-verify.yaml': 'kind: verification-turn\noptions: { times: 99 }\n',
    };
    for (const settings of ['limits: { turns: 3 }\n', 'limits: { turns: 3 }\nfinalTurn: false\n']) {
      for (const reply of ['', 'x', call('6*7')]) {
        expect(modelCalls(await run(phi(files, settings), Array(9).fill(reply))).length).toBeLessThanOrEqual(3);
      }
    }
  });
});

describe('js middleware', () => {
  const files = { '10-own.js': 'function finish(input) { return null; }' };

  /** Stands in for a sandbox: answers what the hook's code would, by the hook that the script calls. */
  const answering =
    (answers: Record<string, unknown>): HookSandbox['run'] =>
    async (code) => {
      const hook = /typeof (\w+) === 'function'/.exec(code)?.[1] ?? '';
      return { kind: 'ok', value: JSON.stringify(answers[hook] ?? null), output: '' };
    };

  it('acts through the sandbox, keeps its state, and its actions are events', async () => {
    const scripts: string[] = [];
    const hooks: HookSandbox['run'] = async (code, limits) => {
      scripts.push(code);
      expect(limits).toMatchObject({ wallMs: 250, memoryBytes: 32 * 2 ** 20 });
      const isFinish = code.includes('typeof finish');
      const action = isFinish ? { kind: 'use-answer', answer: '42' } : null;
      return { kind: 'ok', value: JSON.stringify({ action, state: { calls: scripts.length } }), output: '' };
    };
    const trajectory = await run(phi(files), ['no idea'], { hooks });
    expect(trajectory).toMatchObject({ answer: '42' });
    expect(actions(trajectory)).toEqual(['js changed-answer']);
    expect(scripts.at(-1)).toContain(`{"calls":${scripts.length - 1}}`);
    expect(scripts[0]).toContain(files['10-own.js']);
  });

  it.each([
    ['an action that the hook does not have', answering({ finish: { kind: 'show', text: 'x' } })],
    ['no JSON', async () => ({ kind: 'ok' as const, value: 'undefined', output: '' })],
    ['an error', async () => ({ kind: 'error' as const, problem: 'x is not defined', output: '' })],
    ['too long a time', async () => ({ kind: 'timeout' as const, problem: '250 ms', output: '' })],
  ])('that answers with %s is a recorded fault, and the rollout goes on', async (_case, hooks) => {
    const trajectory = await run(phi(files), ['It is 42.'], { hooks });
    expect(trajectory.events.filter(({ type }) => type === 'fault').length).toBeGreaterThan(0);
    expect(trajectory).toMatchObject({ outcome: { kind: 'scored', score: 1 } });
  });

  it('leaves the rollout unscored where the sandbox itself fails', async () => {
    const hooks: HookSandbox['run'] = async () => ({ kind: 'infrastructure', problem: 'worker lost', output: '' });
    const trajectory = await run(phi(files), ['It is 42.'], { hooks });
    expect(trajectory.outcome).toMatchObject({ kind: 'unscored', boundary: 'sandbox' });
  });
});
