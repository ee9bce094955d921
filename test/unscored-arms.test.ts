import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryJournal } from '../src/base/journal.ts';
import { ProviderError } from '../src/model/provider-error.ts';
import {
  type GateWorld,
  patchFor,
  playGateWorld,
  type Question,
  rightFor,
  saying,
} from './scripted-world/gate-world.ts';
import { sumTasks } from './scripted-world/scripted-world.ts';

let root: string;
let count = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'co-harness-unscored-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));
const newFolder = () => join(root, `${count++}`);
const play = (world: GateWorld, folder = newFolder()) => playGateWorld(folder, world);

const refuse = () => {
  throw new ProviderError('unauthorised', 'the engine takes no such request');
};
const isHopeless = ({ before }: Question) => before.includes('BREAK');
const answer = (question: Question) =>
  isHopeless(question) ? refuse() : rightFor(question.before.includes('Be exact.') ? 0.9 : 0.2, question);
const HOPELESS = saying('BREAK', { title: 'a hopeless diff' });

describe('a diff whose rollouts alone get no score', { timeout: 180_000 }, () => {
  it('is refused before anything is paid for it where it asks for tools that the engine does not have', async () => {
    const native: GateWorld = {
      answer,
      proposals: [
        (harness) => [patchFor(harness, [{ path: 'harness.yaml#/protocol', value: { dialect: { kind: 'native' } } }])],
      ],
    };
    const without = await play({ ...native, nativeTools: false });
    expect(without.refusals).toEqual([expect.stringContaining('protocol.dialect.kind: native')]);
    expect(without.versions).toHaveLength(1);
    expect(new Set(without.rollouts.map(({ identity }) => identity.harness))).toEqual(new Set([without.harness.hash]));
    expect((await play({ ...native, nativeTools: true })).refusals).toEqual([]);
  });

  it('leaves the screening, the run goes on with the others, and a continued run asks nothing of it again', async () => {
    const journal = memoryJournal();
    let asked = 0;
    const world: GateWorld = {
      journal,
      proposals: [(harness) => [HOPELESS(harness), saying('Be exact.')(harness)]],
      answer: (question) => {
        if (isHopeless(question)) asked++;
        return answer(question);
      },
    };
    const folder = newFolder();
    const first = await play(world, folder);
    expect(first.refusals).toEqual([expect.stringMatching(/^8 of its 8 rollouts got no score/)]);
    expect(first.versions[1]).toMatchObject({ verdict: 'better', accepted: true });
    expect(asked).toBe(8);

    const rows = (await journal.entries()).length;
    const again = await play(world, folder);
    expect(asked).toBe(8);
    expect(again.refusals).toEqual(first.refusals);
    expect(again.versions).toEqual(first.versions);
    expect(await journal.entries()).toHaveLength(rows);
  });

  it('is not tried again in a later iteration, where the weights are the same', async () => {
    let asked = 0;
    const { refusals } = await play({
      config: { iterations: 2 },
      proposals: [(harness) => [HOPELESS(harness)]],
      answer: (question) => {
        if (isHopeless(question)) asked++;
        return answer(question);
      },
    });
    expect(asked).toBe(8);
    expect(refusals).toEqual([
      expect.stringMatching(/got no score/),
      expect.stringMatching(/screening, which got no scores of it/),
    ]);
  });

  it('leaves it also where it is the only one: the champion on the same tasks shows that the engine works', async () => {
    const { refusals, versions } = await play({ answer, proposals: [(harness) => [HOPELESS(harness)]] });
    expect(refusals).toEqual([expect.stringMatching(/got no score/)]);
    expect(versions).toHaveLength(1);
  });

  it('ends the run where the champion gets none either, and stands when it is continued', async () => {
    const [journal, folder] = [memoryJournal(), newFolder()];
    let isDown = false;
    const world: GateWorld = { journal, answer, proposals: [(harness) => [saying('Be exact.')(harness)]] };
    const outage = (question: Question) => {
      isDown ||= question.before.includes('Be exact.');
      return isDown ? refuse() : answer(question);
    };
    const stopped = play({ ...world, answer: outage }, folder);
    await expect(stopped).rejects.toMatchObject({ code: 'infrastructure' });
    const { versions, refusals } = await play(world, folder);
    expect(refusals).toEqual([]);
    expect(versions[1]).toMatchObject({ verdict: 'better', accepted: true });
  });
});

describe('a diff that loses scores in its gate alone', { timeout: 180_000 }, () => {
  it('is not decided, and the run goes on', async () => {
    const gate = new Set(sumTasks(120).map(({ problem }) => problem));
    const { versions, journal } = await play({
      answer: (question) => {
        const isChild = question.before.includes('Be exact.');
        return isChild && gate.has(question.problem) && question.luck > 0.5 ? refuse() : answer(question);
      },
      proposals: [(harness) => [saying('Be exact.')(harness)]],
    });
    expect(versions[1]).toMatchObject({ verdict: 'indecisive', reason: expect.stringMatching(/^unscored/) });
    expect(versions[1]?.decision?.unscored).toMatchObject({ parent: 0 });
    expect(await journal.entries('sealed-test')).toHaveLength(1);
  });
});

describe('a child that outlasts its time in its first call', { timeout: 180_000 }, () => {
  it('is judged by the scores that it missed, and does not end the run', async () => {
    const gateTasks = 40;
    const gate = new Set(sumTasks(gateTasks).map(({ problem }) => problem));
    const { versions } = await play({
      files: { 'harness.yaml': 'name: sums\nlimits: { wallMs: 300 }\n' },
      gateTasks,
      concurrency: 32,
      answer: (question) => {
        const isSlow = question.before.includes('Take your time.');
        if (isSlow && gate.has(question.problem) && question.luck < 0.3) return new Promise(() => {});
        return rightFor(isSlow ? 0.7 : 0.5, question);
      },
      proposals: [(harness) => [saying('Take your time.')(harness)]],
    });
    const { decision } = versions[1] ?? {};
    expect(decision).toMatchObject({ unscored: { parent: 0, child: 0 } });
    // 20 points more where it answers in time, 30 points less where it does not.
    expect(decision?.whole.mean).toBeLessThan(0);
    expect(versions[1]?.accepted).toBe(false);
  });
});
