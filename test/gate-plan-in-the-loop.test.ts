import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunEvent } from '../src/evolution/run-event.ts';
import { playGateWorld, rightFor, saying } from './scripted-world/gate-world.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'co-harness-plan-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function plansOf(events: readonly RunEvent[]): string {
  return events.flatMap((event) => (event.type === 'plan-made' ? event.lines : [])).join('\n');
}

const play = (name: string, temperature: number) =>
  playGateWorld(join(folder, name), {
    files: { 'harness.yaml': `name: sums\nsampling: { temperature: ${temperature} }\n` },
    gateTasks: 60,
    sizes: { gateGroups: null },
    answer: (question) => rightFor(question.before.includes('Be exact.') ? 0.9 : 0.2, question),
    proposals: [(harness) => [saying('Be exact.')(harness), saying('Be brief.')(harness), saying('Be kind.')(harness)]],
  });

describe('before a gate is paid, the run says', { timeout: 180_000 }, () => {
  it('what the gate can see and may cost, how often scores should differ, and what luck alone would show', async () => {
    const { events, versions } = await play('greedy', 0);
    const plans = plansOf(events);
    expect(plans).toMatch(/gate of a scripted diff: up to 60 groups × 1 tasks × 1 repeats × 2 arms = 120 rollouts/);
    expect(plans).toMatch(
      /scores expected to differ on \d+% of the pairs \(from (the pass rate on train|\d+ shared train rollouts)\)/,
    );
    expect(plans).toMatch(/The best of 3 do-nothing diffs would show \+\d+\.\d pp on 60 groups half of the time/);
    expect(versions[1]).toMatchObject({ verdict: 'better' });
  });

  it('that a scarce gate split is rolled out more than once, where luck plays a part and the time allows it', async () => {
    const { events, rollouts } = await play('lucky', 0.7);
    const repeats = Number(/up to \d+ groups × 1 tasks × (\d+) repeats/.exec(plansOf(events))?.[1]);
    expect(repeats).toBeGreaterThan(1);
    const seen = rollouts.filter(({ identity }) => identity.split === 'gate').map(({ identity }) => identity.repeat);
    expect(Math.max(...seen)).toBe(repeats - 1);
  });
});

describe('a search whose error is used up', { timeout: 180_000 }, () => {
  it('ends its harness phase in words before it pays for an iteration that no gate could decide', async () => {
    const { events, versions } = await playGateWorld(join(folder, 'spent'), {
      gateTasks: 6,
      config: { iterations: 3 },
      sizes: { gateGroups: null, auditGroups: null },
      // Helps most of what is mined, and one or two of the six gate tasks: chosen, and not accepted.
      isTrainLuck: (luck) => luck < 0.5,
      answer: (question) => rightFor(question.before.includes('Be brief.') ? 0.5 : 0.2, question),
      proposals: [(harness) => [saying('Be brief.')(harness)]],
    });
    const notices = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
    expect(notices.join('\n')).toMatch(/the error left to the next diff asks for \d+ gate groups, there are 6/);
    expect(versions.map(({ kind, accepted }) => `${kind} ${accepted}`)).toEqual(['seed true', 'harness false']);
  });
});

describe('the screening of candidates', { timeout: 180_000 }, () => {
  it('gives up no half of the field without tasks that it had not met: of 16, all on 8 and the better half on 16', async () => {
    const {
      events,
      rollouts,
      harness: seed,
    } = await playGateWorld(join(folder, 'screened'), {
      sizes: { screeningTasks: 16 },
      answer: (question) => rightFor(question.before.includes('Be exact.') ? 0.9 : 0.2, question),
      proposals: [(harness) => ['Be exact.', 'Be brief.', 'Be kind.', 'Be calm.'].map((line) => saying(line)(harness))],
    });
    const met = events.flatMap((event) => (event.type === 'candidate-screened' ? [event.tasks] : []));
    expect(met).toEqual([8, 8, 8, 8, 16, 16]);
    const screened = rollouts.filter(({ identity }) => identity.split === 'train' && identity.harness !== seed.hash);
    const byCandidate = [...Map.groupBy(screened, ({ identity }) => identity.harness).values()];
    const tasks = byCandidate.map((own) => new Set(own.map(({ identity }) => identity.task)).size);
    expect(tasks.sort((a, b) => a - b)).toEqual([8, 8, 16, 16]);
  });
});
