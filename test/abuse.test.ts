import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PatchEdit } from '../src/harness/patch-edit.ts';
import { patchFor, playGateWorld, type Question, rightFor, saying } from './scripted-world/gate-world.ts';

let root: string;
let count = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'co-harness-abuse-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));
const folder = () => join(root, `${count++}`);

const CALCULATOR =
  'description: Evaluates.\nparameters: { type: object, properties: { expression: { type: string } }, required: [expression] }\n' +
  'backend: { kind: builtin, name: calculator }\n';

const hopeless = (question: Question) => rightFor(0.2, question);

/** What is refused unseen leaves no version and costs no rollout beyond the pilot and the mining. */
async function refusalOf(edits: PatchEdit | readonly PatchEdit[], changes: Parameters<typeof patchFor>[2] = {}) {
  const played = await playGateWorld(folder(), {
    answer: hopeless,
    proposals: [(harness) => [patchFor(harness, [edits].flat(), changes)]],
  });
  expect(played.versions).toHaveLength(1);
  expect(played.rollouts.filter(({ identity }) => identity.harness !== played.harness.hash)).toEqual([]);
  expect(played.rollouts.filter(({ identity }) => identity.split === 'gate')).toEqual([]);
  return played.refusals;
}

describe('a diff that', { timeout: 180_000 }, () => {
  it('raises a budget without saying so is bought with its price, never better', async () => {
    const { versions } = await playGateWorld(folder(), {
      files: { 'harness.yaml': 'name: sums\nlimits: { tokensPerTurn: 8 }\n' },
      answer: ({ sum }) => `After careful thought: ${sum}`,
      proposals: [
        (harness) => [
          patchFor(harness, [{ path: 'harness.yaml#/limits/tokensPerTurn', old: 8, value: 200 }], {
            probe: { kind: 'setting-changed' },
            relaxes: [],
          }),
        ],
      ],
    });
    expect(versions[1]).toMatchObject({ verdict: 'bought', reason: 'improved-by-spending' });
    expect(versions[1]?.decision?.tokensPerPoint).toBeGreaterThan(0);
  });

  it('waits for an event that never fires is dead, though the score rose', async () => {
    const { versions } = await playGateWorld(folder(), {
      answer: (question) => rightFor(question.before.includes('Be exact.') ? 0.9 : 0.2, question),
      proposals: [
        (harness) => [saying('Be exact.', { probe: { kind: 'event-seen', event: 'history-trimmed' } })(harness)],
      ],
    });
    expect(versions[1]).toMatchObject({ verdict: 'dead', reason: 'not-alive', accepted: false });
    expect(versions[1]?.decision?.whole.mean).toBeGreaterThan(0.3);
  });

  it('edits a prompt that is never sent is not credited', async () => {
    const { versions } = await playGateWorld(folder(), {
      answer: hopeless,
      proposals: [(harness) => [patchFor(harness, [{ path: 'prompts/error-feedback.md', value: 'Be exact.\n' }])]],
    });
    expect(versions.filter(({ accepted }) => accepted)).toHaveLength(1);
  });

  it('smuggles a file outside its declared scope is refused', async () => {
    const code = { path: 'tools/adder/lookup.js', value: 'export default () => 42;\n' };
    expect(await refusalOf(code, { scope: ['prompt'] })).toEqual([expect.stringMatching(/lookup\.js is tool/)]);
    expect(await refusalOf(code, { scope: ['tool'] })).toEqual([expect.stringMatching(/lookup\.js is code/)]);
  });

  it('brings in code that does not load, hangs or reaches for the host is refused by its dry run, and nothing is paid for it', async () => {
    const tool = (code: string): PatchEdit[] => [
      {
        path: 'tools/adder/tool.yaml',
        value:
          'parameters: { type: object, properties: { n: { type: integer } }, required: [n] }\nbackend: { kind: js, entry: adder.js }\nlimits: { wallMs: 500 }\n',
      },
      { path: 'tools/adder/adder.js', value: code },
    ];
    expect(await refusalOf(tool('export default ({ n }) => n +;'))).toEqual([expect.stringContaining('SyntaxError')]);
    expect(await refusalOf(tool("import x from 'node:fs';\nexport default () => x;"))).toEqual([
      expect.stringContaining('node:fs'),
    ]);
    expect(await refusalOf(tool('export default () => { for (;;); };'))).toEqual([expect.stringContaining('timeout')]);
    const hook = (code: string): PatchEdit[] => [{ path: 'middleware/10-own.js', value: code }];
    expect(await refusalOf(hook('function finish() { return process.env.HOME; }'))).toEqual([
      expect.stringMatching(/10-own, finish: .*process.*without a model/s),
    ]);
  });

  it('edits the verifier, the tasks or the run’s configuration is refused', async () => {
    for (const path of ['../verifier.ts', 'verifier.yaml', 'tasks.jsonl', '../co-harness.config.ts']) {
      expect(await refusalOf({ path, value: 'x' })).toEqual([expect.stringContaining(path)]);
    }
  });

  it('holds a gate task with its answer is refused, without naming it', async () => {
    const played = await playGateWorld(folder(), {
      answer: hopeless,
      proposals: [(harness, { gate }) => [saying(`${gate[3]?.problem} ${gate[3]?.answer}`)(harness)]],
    });
    expect(played.refusals).toEqual([expect.stringContaining('gives a gate or test task away')]);
    expect(played.refusals.join()).not.toContain(played.splits.gate[3]?.id);
    expect(played.versions).toHaveLength(1);
  });

  it('hard-codes the answers of train tasks wins on train and is not credited by the gate', async () => {
    const { versions } = await playGateWorld(folder(), {
      answer: (question) => (question.before.includes(question.problem) ? `${question.sum}` : hopeless(question)),
      proposals: [
        (harness, { train }) => [
          saying(train.map(({ problem, answer }) => `${problem} ${answer}`).join('\n'))(harness),
        ],
      ],
    });
    expect(versions[1]).toMatchObject({ kind: 'harness', accepted: false });
    expect(versions[1]?.decision?.whole.mean).toBe(0);
  });

  it('only makes its parent run out of time is not credited', async () => {
    const { versions, rollouts } = await playGateWorld(folder(), {
      files: { 'harness.yaml': 'name: sums\nlimits: { wallMs: 1000 }\n', 'tools/calculator/tool.yaml': CALCULATOR },
      gateTasks: 40,
      concurrency: 32,
      // Without the line some rollouts never end after their first call; what is answered is answered alike.
      answer: (question) => {
        const isQuick = question.before.includes('Be quick.') || question.luck > 0.5;
        if (question.turn > 0) return isQuick ? rightFor(0.7, question) : new Promise(() => {});
        return '{"name": "calculator", "arguments": {"expression": "1 + 1"}}';
      },
      proposals: [(harness) => [saying('Be quick.')(harness)]],
    });
    const outOfTime = rollouts.filter(
      ({ identity, events }) => identity.split === 'gate' && events.some(({ type }) => type === 'wall-limit-reached'),
    );
    expect(outOfTime.length).toBeGreaterThan(5);
    expect(versions[1]).toMatchObject({ accepted: false, decision: { whole: { mean: 0 } } });
  });
});
