import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { judge } from './judge.ts';
import type { ChangeKind } from './judge-request.ts';
import type { PairedOutcome } from './paired-outcome.ts';
import { type GatePlanRequest, planGate } from './plan-gate.ts';

const PLAIN: ChangeKind = { relaxes: [], deletion: false, speed: false };

interface World {
  groups?: number;
  repeats?: number;
  parent: number;
  targetedGain?: number;
  heldOutGain?: number;
  targetedShare?: number;
  childTokens?: number;
  kind?: ChangeKind;
  alive?: boolean;
  change?: (pair: PairedOutcome, index: number) => PairedOutcome;
  plan?: Partial<GatePlanRequest>;
}

/** Judges a simulated child whose gains are true differences in pass rate. */
async function judged(world: World) {
  const {
    groups = 150,
    repeats = 4,
    parent,
    targetedGain = 0,
    heldOutGain = 0,
    targetedShare = 0,
    kind = PLAIN,
  } = world;
  const random = seededRandom(11);
  const pass = (rate: number) => (random.next() < rate ? 1 : 0);
  const pairs = Array.from({ length: groups }, (_, group) => {
    const targeted = group % 10 < targetedShare * 10;
    return Array.from({ length: repeats }, (_, repeat) => ({
      task: `t${group}`,
      group: `g${group}`,
      repeat,
      parent: pass(parent),
      child: pass(parent + (targeted ? targetedGain : heldOutGain)),
      parentTokens: 100,
      childTokens: world.childTokens ?? 100,
      targeted,
    }));
  });
  const changed = pairs.map((group, index) => group.map((pair) => world.change?.(pair, index) ?? pair));
  const plan = planGate({
    groups,
    repeats,
    alpha: 0.01,
    margin: 0.05,
    ...world.plan,
  });
  return judge({
    plan,
    rule: plan.rule,
    alpha: plan.alpha,
    margin: plan.margin,
    kind,
    seen: () => ({ alive: world.alive ?? true, why: 'the hook never fired' }),
    drawBatch: async (from, to) => changed.slice(from, to).flat(),
  });
}

describe('judge', () => {
  it('books time that whole blocks were timed by: one block is one piece of evidence, one without times is none', async () => {
    const speed = { ...PLAIN, speed: true };
    const blocks = (perBlock: number) => (pair: PairedOutcome, index: number) => {
      const block = Math.floor(index / perBlock);
      const timed = block % 5 === 4 ? {} : { parentMs: 900, childMs: 300 };
      return { ...pair, child: pair.parent, ...timed, timedWith: `block ${block}` };
    };
    const faster = await judged({ parent: 0.5, kind: speed, change: blocks(10) });
    expect(faster).toMatchObject({ verdict: 'faster', seconds: { parent: 0.9, child: 0.3 } });
    expect(faster.explanation).toContain('needs less time: 0.300 s a rollout instead of 0.900 s');
    const few = await judged({ parent: 0.5, kind: speed, change: blocks(100) });
    expect(few).toMatchObject({ verdict: 'reject', reason: 'no-gain' });
  });

  it('goes on for the time of further blocks where the scores are settled and the blocks so far were faster', async () => {
    const timed = (childMs: number) => (pair: PairedOutcome, index: number) => {
      return { ...pair, child: pair.parent, parentMs: 900, childMs, timedWith: `block ${Math.floor(index / 10)}` };
    };
    const judgedBy = (childMs: number) =>
      judged({
        groups: 300,
        parent: 0.5,
        kind: { ...PLAIN, speed: true },
        change: timed(childMs),
        plan: { margin: 0.1 },
      });
    const faster = await judgedBy(450);
    expect(faster).toMatchObject({ verdict: 'faster' });
    const slower = await judgedBy(1000);
    expect(slower).toMatchObject({ verdict: 'reject', reason: 'no-gain' });
    expect(slower.groups).toBeLessThan(faster.groups);
    expect(faster.groups).toBeLessThan(300);
  });

  it('accepts a child that is 25 points better, before the budget is used up', async () => {
    const decision = await judged({ parent: 0.4, heldOutGain: 0.25 });
    expect(decision).toMatchObject({ verdict: 'better', reason: 'improved' });
    expect(decision.groups).toBeLessThan(150);
    expect(decision.whole.low).toBeGreaterThan(0);
    expect(JSON.parse(JSON.stringify(decision))).toEqual(decision);
  });

  it('stops early on a child that does nothing', async () => {
    const decision = await judged({ parent: 0.5 });
    expect(decision).toMatchObject({ verdict: 'reject', reason: 'no-improvement' });
    expect(decision.groups).toBeLessThan(150);
  });

  it('says that a clearly worse child is worse', async () => {
    expect(await judged({ parent: 0.7, heldOutGain: -0.5 })).toMatchObject({ verdict: 'reject', reason: 'worse' });
  });

  it('does not accept a patch whose held-out loss exceeds the margin, however much it wins elsewhere', async () => {
    const decision = await judged({
      groups: 300,
      parent: 0.4,
      targetedGain: 0.5,
      heldOutGain: -0.2,
      targetedShare: 0.5,
    });
    expect(decision).toMatchObject({ verdict: 'reject', reason: 'held-out-inferior' });
  });

  it('accepts a diff that repairs almost everything, though hardly any held-out task is left to prove harmless', async () => {
    const decision = await judged({ groups: 60, repeats: 1, parent: 0, targetedGain: 0.5, targetedShare: 0.9 });
    expect(decision).toMatchObject({ verdict: 'better' });
  });

  it('does not accept a diff whose targeted tasks lost while others won', async () => {
    const decision = await judged({ parent: 0.4, targetedGain: -0.2, heldOutGain: 0.4, targetedShare: 0.2 });
    expect(decision).toMatchObject({ verdict: 'reject', reason: 'targeted-not-improved' });
  });

  it('books an improvement that was bought as bought, with its price', async () => {
    const kind = { relaxes: ['votes'], deletion: true, speed: false };
    const decision = await judged({ parent: 0.4, heldOutGain: 0.25, childTokens: 180, kind });
    expect(decision).toMatchObject({ verdict: 'bought', reason: 'improved-by-spending' });
    expect(decision.tokensPerPoint).toBeCloseTo(80 / (decision.whole.mean * 100));
  });

  it('lets a deletion that changes nothing pass as simpler', async () => {
    const kind = { relaxes: [], deletion: true, speed: false };
    const decision = await judged({ parent: 0.5, kind, change: (pair) => ({ ...pair, child: pair.parent }) });
    expect(decision).toMatchObject({ verdict: 'simpler', reason: 'not-worse-and-smaller' });
  });

  it('calls a speed diff faster only with a measured gain', async () => {
    const kind = { relaxes: [], deletion: false, speed: true };
    const change = (pair: PairedOutcome) => ({ ...pair, child: pair.parent });
    expect(await judged({ parent: 0.5, kind, childTokens: 60, change })).toMatchObject({ verdict: 'faster' });
    expect(await judged({ parent: 0.5, kind, change })).toMatchObject({ verdict: 'reject', reason: 'no-gain' });
  });

  it('shares the error of "needs less" between tokens and time: what half of it does not show is no gain', async () => {
    const kind = { relaxes: [], deletion: false, speed: true };
    // Half the tokens in every group: eleven groups show it at 5%, fourteen at 2.5%.
    const on = (groups: number) =>
      judged({
        groups,
        repeats: 1,
        parent: 0.5,
        kind,
        childTokens: 50,
        change: (pair) => ({ ...pair, child: pair.parent }),
        plan: { margin: 0.6, looks: 1 },
      });
    expect(await on(13)).toMatchObject({ verdict: 'reject', reason: 'no-gain' });
    expect(await on(14)).toMatchObject({ verdict: 'faster' });
  });

  it('says which loss through held-out behaviour it excluded, where a stratum is held out', async () => {
    const targeted = { groups: 300, parent: 0.3, targetedGain: 0.4, targetedShare: 0.5 };
    const decision = await judged(targeted);
    expect(decision).toMatchObject({ verdict: 'better', evidence: { margin: 0.05 } });
    expect(decision.explanation).toMatch(/Held-out behaviour costs the whole less than 5\.\d pp \(95\.0% certain/);
    const wide = await judged({ ...targeted, groups: 60 });
    expect(wide.verdict).toBe('better');
    expect(wide.explanation).toContain('less than 11.4 pp (95.0% certain; 5.0 pp were asked for)');
    const all = await judged({ parent: 0.4, heldOutGain: 0.25 });
    expect(all.explanation).not.toContain('Held-out');
  });

  it('never credits a diff that was not seen to act, even when the score rose', async () => {
    const decision = await judged({ parent: 0.2, heldOutGain: 0.6, alive: false });
    expect(decision).toMatchObject({ verdict: 'dead', reason: 'not-alive', explanation: 'the hook never fired' });
  });

  it('stops after one batch on a diff that neither acted nor changed a score', async () => {
    const decision = await judged({ parent: 0.5, alive: false, change: (pair) => ({ ...pair, child: pair.parent }) });
    expect(decision).toMatchObject({ verdict: 'dead', groups: 15 });
  });
});

describe('the order of the groups', () => {
  const outcome = fc.record({ parent: fc.boolean(), child: fc.boolean(), targeted: fc.boolean() });
  it.each(['mean', 'permutation', 'paper'] as const)(
    'never changes a verdict of the fixed-size rule %s',
    async (rule) => {
      await fc.assert(
        fc.asyncProperty(fc.array(outcome, { minLength: 20, maxLength: 40 }), fc.integer(), async (groups, seed) => {
          const plan = planGate({ rule, groups: groups.length, repeats: 1, alpha: 0.05, margin: 0.05 });
          const pairs = groups.map(({ parent, child, targeted }, index) => ({
            task: `t${index}`,
            group: `g${index}`,
            repeat: 0,
            parent: Number(parent),
            child: Number(child),
            parentTokens: 10,
            childTokens: 10,
            targeted,
          }));
          const verdictOf = (order: readonly PairedOutcome[]) =>
            judge({
              plan,
              rule,
              alpha: plan.alpha,
              margin: plan.margin,
              kind: PLAIN,
              seen: () => ({ alive: true, why: '' }),
              drawBatch: async (from, to) => order.slice(from, to),
            });
          const [one, other] = [await verdictOf(pairs), await verdictOf(seededRandom(seed).shuffled(pairs))];
          expect([other.verdict, other.reason]).toEqual([one.verdict, one.reason]);
        }),
        { numRuns: 40 },
      );
    },
  );
});

describe('judge on bad input', () => {
  it('has no verdict when all groups are tied', async () => {
    const decision = await judged({ parent: 0.5, change: (pair) => ({ ...pair, child: pair.parent }) });
    expect(decision).toMatchObject({ verdict: 'indecisive', reason: 'all-tied' });
  });

  it('has no verdict when nothing was scored', async () => {
    const decision = await judged({ parent: 0.5, change: (pair) => ({ ...pair, parent: null, child: null }) });
    expect(decision).toMatchObject({
      verdict: 'indecisive',
      reason: 'unscored-all',
      unscored: { parent: 60, child: 60 },
    });
    expect(decision.whole).toMatchObject({ low: -1, high: 1, groups: 0 });
  });

  it('has no verdict when more than a tenth is unscored, however good the rest looks', async () => {
    const change = (pair: PairedOutcome, index: number) =>
      index % 7 === 0 ? { ...pair, child: null, parent: null } : pair;
    expect(await judged({ parent: 0.2, heldOutGain: 0.7, change })).toMatchObject({ reason: 'unscored-share' });
  });

  it('decides where exactly a tenth is unscored, and not where one more is', async () => {
    const without = (isLost: (group: number) => boolean) =>
      judged({
        groups: 100,
        repeats: 1,
        parent: 0.2,
        plan: { rule: 'permutation' },
        change: (pair, group) => (isLost(group) ? { ...pair, child: null, parent: null } : pair),
      });
    expect((await without((group) => group % 10 === 0)).reason).toBe('no-improvement');
    expect((await without((group) => group % 10 === 0 || group === 1)).reason).toBe('unscored-share');
  });

  it('does not take one lost rollout in the first batch for an outage', async () => {
    const change = (pair: PairedOutcome, index: number) =>
      index === 0 && pair.repeat === 0 ? { ...pair, child: null } : pair;
    const decision = await judged({ groups: 60, repeats: 1, parent: 0.1, heldOutGain: 0.6, change });
    expect(decision).toMatchObject({ verdict: 'better', unscored: { parent: 0, child: 1 } });
  });

  it('has no verdict when one arm fails much more often than the other', async () => {
    const change = (pair: PairedOutcome, index: number) => (index % 11 === 10 ? { ...pair, child: null } : pair);
    expect(await judged({ parent: 0.5, heldOutGain: 0.1, change })).toMatchObject({ reason: 'unscored-imbalance' });
  });

  it.each([1.2, -0.1, Number.NaN, Number.POSITIVE_INFINITY])('refuses the score %s', async (score) => {
    const change = (pair: PairedOutcome) => ({ ...pair, child: score });
    await expect(judged({ parent: 0.5, change })).rejects.toMatchObject({ code: 'score-out-of-range' });
  });

  it('refuses a pair that comes twice', async () => {
    const change = (pair: PairedOutcome) => ({ ...pair, repeat: 0 });
    await expect(judged({ parent: 0.5, change })).rejects.toMatchObject({ code: 'duplicate-pair' });
  });

  it('refuses a task that changed between the arms', async () => {
    const change = (pair: PairedOutcome) => ({ ...pair, parentTaskHash: 'a', childTaskHash: 'b' });
    await expect(judged({ parent: 0.5, change })).rejects.toMatchObject({ code: 'task-changed' });
  });

  it('refuses zero tasks', async () => {
    const plan = planGate({ groups: 50, repeats: 1, alpha: 0.05, margin: 0.05, budgetRollouts: 100 });
    const request = {
      plan,
      rule: plan.rule,
      alpha: plan.alpha,
      margin: 0.05,
      kind: PLAIN,
      seen: () => ({ alive: true, why: '' }),
      drawBatch: async () => [],
    };
    await expect(judge(request)).rejects.toMatchObject({ code: 'no-gate-tasks' });
    const signal = AbortSignal.abort();
    await expect(judge({ ...request, signal })).rejects.toMatchObject({ code: 'aborted' });
    await expect(judge({ ...request, alpha: 0.2 })).rejects.toMatchObject({ code: 'gate-plan-mismatch' });
  });
});
