import { describe, expect, it } from 'vitest';
import { manualClock } from '../base/clock.ts';
import { seedFrom } from '../base/random.ts';
import { modelCalls } from '../trajectory/model-calls.ts';
import { isDecided, type Vote, winner } from './count-votes.ts';
import { calculate, harnessWith, rollOut } from './scripted-rollout.fixture.ts';

const vote = (extracted: string | null): Vote => ({
  episode: {
    events: [],
    usage: { promptTokens: 0, completionTokens: 0 },
    answer: extracted,
    wallLimitReached: false,
    fault: null,
  },
  outcome: { kind: 'scored', score: 0, extracted, why: '' },
});
const answerOf = (votes: Vote[]) => {
  const { outcome } = winner(votes, 'equal') as Vote;
  return outcome.kind === 'scored' ? outcome.extracted : null;
};

/** All lists of so many votes over three answers and none. */
function lists(length: number): (string | null)[][] {
  if (length === 0) return [[]];
  return lists(length - 1).flatMap((rest) => ['a', 'b', 'c', null].map((next) => [...rest, next]));
}

describe('a vote', () => {
  it('is called decided exactly when no further votes could change the answer', () => {
    for (const left of [1, 2, 3]) {
      for (const cast of lists(3)) {
        const votes = cast.map(vote);
        const now = answerOf(votes);
        const changes = lists(left).some((more) => answerOf([...votes, ...more.map(vote)]) !== now);
        const isSafe = isDecided(votes, left, 'equal');
        if (isSafe) expect(changes, `${cast} with ${left} left`).toBe(false);
        if (!changes && now !== null) expect(isSafe, `${cast} with ${left} left`).toBe(true);
      }
    }
  });

  it('that is decided stops: fewer rollouts, the same answer, and an event', async () => {
    const settings = (early: boolean) => `votes: 5\nvoting: { stopWhenDecided: ${early} }\n`;
    const seeds = [0, 1, 2, 3, 4].map((number) =>
      number === 0 ? seedFrom(5, 0, 0) : seedFrom(5, 0, 0, `vote ${number}`),
    );
    const says =
      (answers: string[]) =>
      ({ seed }: { seed: number }) =>
        `It is ${answers[seeds.indexOf(seed)]}.`;
    for (const answers of [
      ['42', '42', '42', '1', '2'],
      ['1', '42', '42', '42', '1'],
      ['1', '2', '3', '42', '42'],
    ]) {
      const all = await rollOut(harnessWith({}, settings(false)), says(answers));
      const early = await rollOut(harnessWith({}, settings(true)), says(answers));
      expect(early.answer).toBe(all.answer);
      expect(modelCalls(all)).toHaveLength(5);
    }
    const early = await rollOut(harnessWith({}, settings(true)), says(['42', '42', '42', '1', '2']));
    expect(modelCalls(early)).toHaveLength(3);
    expect(early.events.at(-1)).toMatchObject({ type: 'votes-decided', ran: 3, of: 5 });
  });

  it('starts none after the time of the task: those that ran decide', async () => {
    const clock = manualClock();
    const slow = () => {
      clock.advance(600);
      return 'It is 42.';
    };
    const harness = harnessWith({}, 'votes: 5\nvoting: { atOnce: 1 }\nlimits: { wallMs: 1000 }\n');
    const trajectory = await rollOut(harness, slow, { clock });
    expect(trajectory).toMatchObject({ answer: 'It is 42.', outcome: { score: 1 } });
    expect(trajectory.events.at(-1)).toMatchObject({ type: 'votes-decided', ran: 2, of: 5 });
  });

  it('weighs an answer that a tool gave twice, and one that was cut off half, where φ says so', async () => {
    const first = seedFrom(5, 0, 0);
    const model = ({ seed, messages }: { seed: number; messages: readonly { role: string }[] }) => {
      if (messages.some(({ role }) => role === 'assistant')) return '42';
      return seed === first
        ? calculate('6*7')
        : seed === seedFrom(5, 0, 0, 'vote 1')
          ? '41'
          : { text: '41', finishReason: 'length' as const };
    };
    const answer = async (weights: string) =>
      (await rollOut(harnessWith({}, `votes: 3\nvoting: { weights: ${weights} }\n`), model)).answer;
    expect(await answer('equal')).toBe('41');
    expect(await answer('evidence')).toBe('42');
  });
});
