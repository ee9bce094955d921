import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Random, seededRandom } from '../base/random.ts';
import { BettingEProcess } from './betting-e-process.ts';
import { exactBounds } from './exact-bounds.ts';
import { meanTest } from './mean-test.ts';
import { pairedPermutationTest } from './paired-permutation-test.ts';
import { signTest } from './sign-test.ts';
import { wilsonInterval } from './wilson.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/statistics-oracle.py', import.meta.url));
const PYTHON = [process.env.CO_HARNESS_ORACLE_PYTHON ?? 'python3', 'python'].find(
  (name) => spawnSync(name, ['--version']).status === 0,
);

const CASES = 240;

/** Answers of the second implementation, one per case. */
function askOracle(cases: readonly object[]): unknown[] {
  const run = spawnSync(PYTHON as string, [SCRIPT], { input: JSON.stringify(cases), encoding: 'utf8', maxBuffer: 1e8 });
  expect(run.stderr).toBe('');
  return JSON.parse(run.stdout);
}

/** Group mean differences with four repeats: whole quarters in [−1, 1]. */
function quarters(random: Random, count: number): number[] {
  const lean = random.next();
  return Array.from({ length: count }, () => (random.next() < lean ? random.below(5) / 4 : random.below(9) / 4 - 1));
}

function cases<T>(make: (random: Random, index: number) => T): T[] {
  const random = seededRandom(20_26);
  return Array.from({ length: CASES }, (_, index) => make(random, index));
}

function closeTo(actual: number, expected: number, relative: number): boolean {
  return Math.abs(actual - expected) <= relative * Math.abs(expected) + 1e-12;
}

describe.skipIf(PYTHON === undefined)(`on ${CASES} random cases each, a second implementation in Python agrees`, () => {
  it('with the exact permutation test up to 14 differences', () => {
    const asked = cases((random) => ({ kind: 'permutation', differences: quarters(random, 1 + random.below(14)) }));
    const answers = askOracle(asked) as number[];
    const wrong = asked.filter(
      ({ differences }, index) => !closeTo(pairedPermutationTest(differences), answers[index] as number, 1e-12),
    );
    expect(wrong).toEqual([]);
  });

  it('with the sampled permutation test, to its sampling error', () => {
    const asked = cases((random) => ({ kind: 'permutation', differences: quarters(random, 20 + random.below(60)) }));
    const answers = askOracle(asked) as number[];
    const wrong = asked.filter(({ differences }, index) => {
      const exact = answers[index] as number;
      const sampled = pairedPermutationTest(differences, { seed: index, samples: 5000 });
      // 200 exceedances or 5000 samples, whichever comes first.
      const error = Math.max(exact / Math.sqrt(200), Math.sqrt((exact * (1 - exact)) / 5000));
      return Math.abs(sampled - exact) > 4.5 * error + 1 / 5000;
    });
    expect(wrong).toEqual([]);
  });

  it('with the sign test', () => {
    const asked = cases((random) => ({ kind: 'sign', positive: random.below(300), negative: random.below(300) }));
    const answers = askOracle(asked) as number[];
    const wrong = asked.filter(
      ({ positive, negative }, index) => !closeTo(signTest(positive, negative), answers[index] as number, 1e-9),
    );
    expect(wrong).toEqual([]);
  });

  it('with the mean test', () => {
    const asked = cases((random) => ({
      kind: 'mean',
      // The first two differ, so that there is a spread.
      differences: [0.25, -0.5, ...quarters(random, 1 + random.below(80))],
      nullMean: random.next() / 5 - 0.1,
    }));
    const answers = askOracle(asked) as number[];
    const wrong = asked.filter(
      ({ differences, nullMean }, index) => !closeTo(meanTest(differences, nullMean), answers[index] as number, 1e-7),
    );
    expect(wrong).toEqual([]);
  });

  it('with the Wilson interval and the exact bounds', () => {
    const asked = cases((random, index) => {
      const kind = index % 2 === 0 ? 'wilson' : 'exact';
      const n = 1 + random.below(kind === 'wilson' ? 400 : 60);
      return { kind, n, successes: random.below(n + 1), level: [0.8, 0.95, 0.99][random.below(3)] as number };
    });
    const answers = askOracle(asked) as [number, number][];
    const wrong = asked.filter(({ kind, successes, n, level }, index) => {
      const [low, high] = answers[index] as [number, number];
      const wilson = wilsonInterval(successes, n, level);
      const exact = exactBounds(successes, n, level);
      const [ourLow, ourHigh] = kind === 'wilson' ? [wilson.low, wilson.high] : [exact.lower, exact.upper];
      return Math.abs(ourLow - low) > 1e-9 || Math.abs(ourHigh - high) > 1e-9;
    });
    expect(wrong).toEqual([]);
  });

  it('with the capital of the betting process at every step, with and without a horizon', () => {
    const asked = cases((random, index) => {
      const differences = quarters(random, 1 + random.below(120));
      const horizon = {
        observations: differences.length + random.below(20),
        variance: 0.02 + random.next() / 4,
        target: 20 + random.below(1000),
      };
      return {
        kind: 'betting',
        differences,
        nullMean: random.next() / 5 - 0.1,
        ...(index % 2 === 0 ? { horizon } : {}),
      };
    });
    const answers = askOracle(asked) as number[][];
    const wrong = asked.filter(({ differences, nullMean, ...rest }, index) => {
      const ours = new BettingEProcess(nullMean, 'horizon' in rest ? rest.horizon : undefined);
      return differences.some((value, step) => !closeTo(ours.add(value), answers[index]?.[step] as number, 1e-7));
    });
    expect(wrong).toEqual([]);
  });
});
