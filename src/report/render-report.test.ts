import { describe, expect, it } from 'vitest';
import { renderReport } from './render-report.ts';
import { type CrossedTable, type PairRow, REPORT_SCHEMA, type ReportData } from './report-data.ts';

function pair(round: number | null, name: string, correct: number): PairRow {
  const accuracy = correct / 200;
  return {
    pair: name,
    harness: `h${name}`.padEnd(64, '0'),
    model: `m${name}`.padEnd(64, '0'),
    pooled: [name],
    round,
    split: 'test',
    tasks: 200,
    repeats: 1,
    scored: 200,
    correct,
    accuracy,
    low: accuracy - 0.07,
    high: accuracy + 0.07,
    tokens: 200_000,
    seconds: 100,
  };
}

function crossed(round: number): CrossedTable {
  const cell = (harness: 'old' | 'new', model: 'old' | 'new') => ({
    harness,
    model,
    accuracy: 0.3,
    low: 0.2,
    high: 0.4,
  });
  const cells = [cell('old', 'old'), cell('old', 'new'), cell('new', 'old'), cell('new', 'new')];
  return { round, cells, interaction: 0.1, low: 0.02, high: 0.2, floor: false };
}

function report(changes: Partial<ReportData>): string {
  const pairs = changes.pairs ?? [pair(0, 'a', 12), pair(1, 'b', 98)];
  const data: ReportData = {
    schema: REPORT_SCHEMA,
    run: 'my-run',
    seed: 1,
    seeds: [{ seed: 1, pairs, differences: [], crossed: [], untried: [] }],
    pairs,
    crossed: [crossed(1)],
    differences: [],
    versions: [],
    front: [{ pair: 'b', pooled: ['b'], round: 1, quality: 0.49, tokens: 1000, seconds: 0.5 }],
    predictions: { predicted: 0, observed: 0, precision: null, recall: null, meanError: null },
    judge: null,
    looks: { count: 1, by: [{ by: 'report', seed: 1, tasks: 200 }] },
    contamination: null,
    ledger: { lines: [], tokens: 0, rollouts: 0, seconds: 0 },
    ...changes,
  };
  return renderReport(data, 'runs/my-run');
}

describe('renderReport', () => {
  it('names a pair beside the champions by its version', () => {
    const faster = { ...pair(null, 'c', 90), version: 3 };
    const front = [{ pair: 'c', pooled: ['c'], round: null, version: 3, quality: 0.45, tokens: 10, seconds: 0.5 }];
    const text = report({ pairs: [pair(0, 'a', 12), pair(1, 'b', 98), faster], front });
    expect(text.match(/v3 faster/g)).toHaveLength(2);
  });

  it('shows count, share and interval of each pair in at most 80 columns', () => {
    const text = report({});
    expect(text).toMatch(/round 1 .* 98\/200 +49\.0% +42\.0%-56\.0%/);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('keeps within 80 columns whatever the title of a diff and the seed', () => {
    const delta = { mean: 0.25, low: 0.043, high: 0.39 };
    const version = {
      ...({ version: 11, seed: 2, round: 1, parent: 0, kind: 'harness', verdict: 'better', accepted: true } as const),
      ...{ reason: 'improved', explanation: 'Improves.', title: 'show 8 worked examples as earlier turns (diverse)' },
      ...{ whole: delta, targeted: delta, heldOut: delta, tokens: { parent: 333, child: 1852 } },
    };
    const seed = { seed: 1, pairs: [], differences: [], crossed: [], untried: [] };
    const lines = report({ versions: [version], seeds: [seed, { ...seed, seed: 2 }] }).split('\n');
    expect(lines).toContain('  v11 seed 2 better +25.0 (+4.3 to +39.0): show 8 worked examples as earlier');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('says avg@k where a task was rolled out more than once', () => {
    expect(report({ pairs: [{ ...pair(0, 'a', 12), repeats: 4 }] })).toContain(
      'avg@4, Wilson 95% intervals over tasks',
    );
    expect(report({})).not.toContain('avg@');
  });

  it('says of a difference whose interval holds 0 that it is not significant, and of no other', () => {
    const row = (name: string, low: number) => ({ name, difference: 0.05, low, high: 0.1, significant: low > 0 });
    const text = report({ differences: [row('one', -0.01), row('two', 0.01)] });
    expect(text).toMatch(/one: .*, not significant/);
    expect(text).not.toMatch(/two: .*not significant/);
  });

  it('says who judged where a model did, and nothing where a verifier decided', () => {
    const text = report({ judge: { model: 'openai:http://127.0.0.1:8000/v1#judge', votes: 3 } });
    expect(text.replaceAll('\n', ' ')).toContain(
      'judged by a model: openai:http://127.0.0.1:8000/v1#judge, 3 votes each',
    );
    expect(report({})).not.toContain('judged by a model');
  });

  it('says that a round changed nothing instead of crossing a pair with itself', () => {
    const pairs = [pair(0, 'a', 12), pair(1, 'b', 98), pair(2, 'b', 98)];
    const text = report({ pairs, crossed: [crossed(1), crossed(2)] });
    expect(text).toContain('Round 1: harness x weights');
    expect(text).toContain('Round 2: nothing was accepted');
  });

  it('says that nothing was tried where no seed had the time, and of how many seeds where only some had not', () => {
    const pairs = [pair(0, 'a', 12), pair(1, 'a', 12)];
    const text = (...untried: number[][]) => {
      const seeds = untried.map((rounds, index) => ({
        seed: index + 1,
        pairs,
        differences: [],
        crossed: [],
        untried: rounds,
      }));
      return report({ pairs, seeds }).replaceAll('\n', ' ');
    };
    expect(text([1], [1])).toContain('Round 1: nothing was tried: too little time was left.');
    expect(text([1], [])).toContain(
      'nothing was accepted, the pair stayed what it was (in 1 of 2 seeds nothing was tried',
    );
    expect(text([], [2])).toContain('nothing was accepted, the pair stayed what it was.');
  });

  it('does not cross a round that kept its weights, or its harness', () => {
    const kept = (half: 'harness' | 'model') =>
      report({ pairs: [pair(0, 'a', 12), { ...pair(1, 'b', 98), [half]: pair(0, 'a', 12)[half] }] });
    expect(kept('model')).toContain('Round 1: the weights stayed what they were');
    expect(kept('harness')).toContain('Round 1: the harness stayed what it was');
    expect(kept('model')).not.toContain('interaction');
  });

  it('crosses what at least one seed changed', () => {
    const seed = (pairs: PairRow[]) => ({ seed: 1, pairs, differences: [], crossed: [], untried: [] });
    const unchanged = seed([pair(0, 'a', 12), pair(1, 'a', 12)]);
    const changed = seed([pair(0, 'a', 12), pair(1, 'b', 98)]);
    expect(report({ seeds: [unchanged, changed] })).toContain('interaction');
    expect(report({ seeds: [unchanged, unchanged] })).not.toContain('interaction');
  });

  it('shows the pairs that no other one beats, and how far predictions came true', () => {
    const predictions = { predicted: 3, observed: 2, precision: 0.5, recall: 1, meanError: 0.125 };
    const text = report({ predictions });
    expect(text).toMatch(/b \(round 1\) +49\.0% +1000 +0\.5 +best quality/);
    expect(text).toMatch(/precision 50\.0%, recall 100\.0%, mean error 12\.5 points/);
    expect(report({})).not.toContain('predicted');
  });

  it('says how many pairs a row of several seeds pools where they differ, and names none of them', () => {
    const pooled = ['b', 'c', 'd'];
    const row = { ...pair(1, 'b', 98), pair: null, harness: null, pooled };
    const text = report({
      pairs: [row],
      front: [{ pair: null, pooled, round: 1, quality: 0.5, tokens: 1, seconds: 1 }],
    });
    expect(text).toMatch(/round 1 +3 pairs +mb0{6} /);
    expect(text).toMatch(/ 3 pairs \(round 1\) +50\.0%/);
    expect(text).not.toContain('hb0');
  });

  it('marks an interaction at the floor', () => {
    expect(report({ crossed: [{ ...crossed(1), floor: true }] })).toContain('says little');
    expect(report({})).not.toContain('says little');
  });

  it('warns of sealed tasks that are older than the weights', () => {
    const contamination = { tasks: 30, of: 90, from: '2024-02', to: '2024-02', released: '2025-04' };
    expect(report({ contamination })).toContain('Caution: 30 of 90 sealed test tasks were published in 2024-02');
    expect(report({})).not.toContain('Caution');
  });

  it('warns that the result is no longer sealed when eval has read the sealed tasks', () => {
    const looks = {
      count: 2,
      by: [
        { by: 'report' as const, seed: 1, tasks: 200 },
        { by: 'eval' as const, seed: null, tasks: 3 },
      ],
    };
    expect(report({ looks })).toContain('no longer sealed');
    expect(report({})).not.toContain('no longer sealed');
  });

  it('says that the test is still sealed while the run is not finished', () => {
    expect(report({ pairs: [], crossed: [] })).toContain('not opened yet');
  });
});
