import { describe, expect, it } from 'vitest';
import { CoHarnessError } from '../base/errors.ts';
import { ProviderError } from '../model/provider-error.ts';
import { scriptedBackend } from '../model/scripted-backend.ts';
import { calculate, harnessWith, rollOut } from '../rollout/scripted-rollout.fixture.ts';
import { commandVerifier } from '../task/command-verifier.ts';
import { judgeVerifier } from '../task/judge-verifier.ts';
import type { Verdict, Verifier } from '../task/verifier.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { type PairOrder, pairedOutcome } from './roll-pairs.ts';

const PHI = harnessWith();
const ARM = { harness: PHI, pair: { harness: PHI.hash, model: scriptedBackend({ reply: () => '' }).identity } };
const ORDER: PairOrder = {
  round: 1,
  step: 'gate',
  parent: ARM,
  child: ARM,
  patch: null,
  seedStream: 'gate 1',
  repeats: 1,
};

const solved = () => rollOut(PHI, ['42']);
const judgedBy = (verifier: Verifier) => () => rollOut(PHI, ['42'], { verifier });
const saying = (verdict: Verdict) => judgedBy({ version: PHI.hash, verify: async () => verdict });
const program = (code: string, timeoutMs = 10_000) =>
  judgedBy(commandVerifier({ command: [process.execPath, '-e', code], directory: '.', timeoutMs }));
const throwing = (error: Error) => () => {
  throw error;
};
const failing = (error: ProviderError) => () =>
  rollOut(harnessWith({ 'retry.yaml': 'modelErrors: 1\n' }, 'limits: { wallMs: 60 }\n'), throwing(error));

const tie = scriptedBackend({
  reply: ({ seed }) => JSON.stringify({ verdict: seed % 2 === 0 ? 'correct' : 'incorrect' }),
});
const judge = { backend: tie, votes: 2, criterion: 'Same number.', sealedTest: 'refuse' } as const;

/** A judge whose two votes differ: which seeds they get depends on the answer. */
async function tiedJudge(): Promise<Trajectory> {
  for (let answer = 0; ; answer++) {
    const rollout = await rollOut(PHI, [`${answer}`], { verifier: judgeVerifier(judge) });
    if (rollout.outcome.kind === 'unscored') return rollout;
  }
}

const pythonTool = {
  'tools/calculator/tool.yaml':
    'parameters: { type: object, properties: { expression: { type: string } } }\nbackend: { kind: python, entry: main.py }\n',
  'tools/calculator/main.py': 'def run(expression):\n  return expression\n',
};

describe('a rollout that alone has no score', () => {
  it.each<[string, () => Promise<Trajectory>]>([
    [
      'its first generation outlasts the time',
      () => rollOut(harnessWith({}, 'limits: { wallMs: 60 }\n'), () => new Promise(() => {})),
    ],
    [
      'the server refuses its request',
      failing(new ProviderError('bad-response', 'too long', { details: { status: 400 } })),
    ],
    ['the reply is withheld', failing(new ProviderError('bad-response', 'content_filter'))],
    ['the verifier’s program ends with an error', program('process.exit(1)')],
    ['the verifier’s program takes too long', program('setTimeout(() => {}, 60_000)', 500)],
    ['the verifier’s program prints no score', program('console.log("fine")')],
    ['the votes of a judge tie', tiedJudge],
    ['the verifier gives a score of 1.2', saying({ kind: 'scored', score: 1.2, extracted: null, why: '' })],
    [
      'the verifier throws',
      judgedBy({ version: PHI.hash, verify: async () => Promise.reject(new Error('no such number')) }),
    ],
  ])('counts against a child and never for it where %s', async (_why, run) => {
    const [lacking, scored] = [await run(), await solved()];
    expect(lacking.outcome.kind).toBe('unscored');
    const child = pairedOutcome(ORDER, scored, lacking);
    expect(child).toMatchObject({ parent: 1, child: 0 });
    expect(child.childTokens).toBeGreaterThanOrEqual(child.parentTokens);
    expect(pairedOutcome(ORDER, lacking, scored)).toMatchObject({ parent: 1, child: 1 });
    expect(pairedOutcome(ORDER, lacking, lacking)).toMatchObject({ parent: null, child: null });
    // What would lean to one side could roll back by itself.
    expect(pairedOutcome({ ...ORDER, purpose: 'audit' }, lacking, scored)).toMatchObject({ parent: 0, child: 1 });
    expect(pairedOutcome({ ...ORDER, purpose: 'audit' }, scored, lacking)).toMatchObject({ parent: 1, child: 0 });
  });

  it.each<[string, () => Promise<Trajectory>]>([
    [
      'the server is down',
      failing(new ProviderError('unreachable', 'nobody answers', { details: { retryAfterMs: 1 } })),
    ],
    [
      'a proxy answers with a page of its own',
      failing(new ProviderError('bad-response', '<html>', { details: { isForeign: true } })),
    ],
    ['the address is wrong', failing(new ProviderError('bad-response', 'not found', { details: { status: 404 } }))],
    [
      'the time ends while the engine fails',
      failing(new ProviderError('unreachable', 'nobody answers', { details: { retryAfterMs: 60_000 } })),
    ],
    ['the engine throws what nobody knows', () => rollOut(PHI, throwing(new CoHarnessError('strange', 'strange')))],
    ['its sandbox is not there', () => rollOut(harnessWith(pythonTool), [calculate('6*7'), '42'])],
    [
      'the verifier’s program is not there',
      judgedBy(commandVerifier({ command: ['no-such-program'], directory: '.', timeoutMs: 1_000 })),
    ],
    ['the verifier cannot judge this task', saying({ kind: 'unscored', why: 'the gold is no number' })],
  ])('says nothing where %s', async (_why, run) => {
    const [lacking, scored] = [await run(), await solved()];
    expect(lacking.outcome.kind).toBe('unscored');
    expect(pairedOutcome(ORDER, scored, lacking)).toMatchObject({ parent: 1, child: null });
    expect(pairedOutcome(ORDER, lacking, scored)).toMatchObject({ parent: null, child: 1 });
  });

  it('of many votes is laid to φ only where every vote without a score is', async () => {
    const refused = new ProviderError('bad-response', 'too long', { details: { status: 400 } });
    const down = new ProviderError('unauthorised', 'no key');
    const votes = (errors: ProviderError[]) => {
      let call = 0;
      return rollOut(harnessWith({}, 'votes: 2\n'), () => {
        throw errors[call++ % errors.length];
      });
    };
    expect((await votes([refused, refused])).outcome).toMatchObject({ cause: 'refused-request' });
    expect((await votes([refused, down])).outcome).not.toHaveProperty('cause');
    expect((await votes([down, refused])).outcome).not.toHaveProperty('cause');
  });
});
