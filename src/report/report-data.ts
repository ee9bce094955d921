import { contentHash } from '../base/content-hash.ts';
import type { Journal } from '../base/journal.ts';
import {
  type SealedLook,
  type SealedResult,
  type SealedTest,
  sealedLooks,
  sealedTests,
} from '../evolution/sealed-test.ts';
import { runHeader } from '../evolution/start-run.ts';
import { untriedRounds } from '../evolution/untried-rounds.ts';
import type { Effect } from '../gate/decision.ts';
import { pairHash, type Version } from '../registry/version.ts';
import { versionTitle } from '../registry/version-title.ts';
import { averageAtK } from '../statistics/average-at-k.ts';
import { groupBootstrap, groupMeans } from '../statistics/group-bootstrap.ts';
import { checkVerifierConfig } from '../task/choose-verifier.ts';
import type { Contamination } from '../task/contamination.ts';
import { type LedgerLine, ledgerOf } from './ledger.ts';
import { paretoFront } from './pareto-front.ts';
import { type PredictionScore, type SideEffectScore, scorePredictions, scoreSideEffects } from './predictions.ts';

export const REPORT_SCHEMA = 'co-harness/report@1';

export interface PairRow {
  /** Hashes of the pair and its halves; null where several seeds are pooled whose pairs, or whose halves, differ. */
  pair: string | null;
  harness: string | null;
  model: string | null;
  /** Pair of each seed that is counted here, in the order of the seeds. */
  pooled: string[];
  /** Round at whose end this was the champion; null for a crossed pair that never was, and for one beside the champions. */
  round: number | null;
  /** Version of a pair that was `faster` but scored lower, and never was the champion; absent for all others. */
  version?: number;
  split: 'test';
  /** Rollouts: tasks × repeats. */
  tasks: number;
  /** Rollouts of one task, those of all pooled seeds together. */
  repeats: number;
  scored: number;
  correct: number;
  /** Mean over tasks of the share of its scored rollouts that passed (avg@repeats), null when nothing was scored. */
  accuracy: number | null;
  low: number | null;
  high: number | null;
  tokens: number;
  seconds: number;
}

export interface CrossedCell {
  harness: 'old' | 'new';
  model: 'old' | 'new';
  accuracy: number | null;
  low: number | null;
  high: number | null;
}

/** A difference of two pairs on the same tasks, with a 95% interval by bootstrap over groups. */
export interface DifferenceRow {
  name: string;
  difference: number;
  low: number;
  high: number;
  significant: boolean;
}

export interface CrossedTable {
  round: number;
  cells: CrossedCell[];
  /** (new,new) − (new φ, old θ) − (old φ, new θ) + (old,old), in [−2, 2]. */
  interaction: number;
  low: number;
  high: number;
  /** A cell is so near 0 or 1 that the interaction says little. */
  floor: boolean;
}

/** Child − parent, in [−1, 1], with a 95% interval that held at every look. */
export interface Delta {
  mean: number;
  low: number;
  high: number;
}

export interface SeedReport {
  seed: number;
  pairs: PairRow[];
  differences: DifferenceRow[];
  crossed: CrossedTable[];
  /** Rounds in which nothing was tried, because too little time was left. */
  untried: number[];
}

export interface ReportData {
  schema: typeof REPORT_SCHEMA;
  run: string;
  /** The seed of a single-seed run; null for a joint report over several. */
  seed: number | null;
  seeds: SeedReport[];
  /** Of the only seed, or pooled over all: same role (round, old/new) in every seed, all its rollouts counted together. */
  pairs: PairRow[];
  crossed: CrossedTable[];
  differences: DifferenceRow[];
  versions: (Pick<
    Version,
    'version' | 'seed' | 'round' | 'parent' | 'kind' | 'verdict' | 'accepted' | 'reason' | 'explanation'
  > & {
    title: string;
    whole: Delta | null;
    /** On the failures the diff aims at, and on everything else; null where the gate had no such stratum. */
    targeted: Delta | null;
    heldOut: Delta | null;
    /** Mean tokens per rollout of parent and child; null without a decision. */
    tokens: { parent: number; child: number } | null;
  })[];
  /** Pairs of the sealed test that no other one beats in quality, tokens and seconds together; best quality first, each pair once. */
  front: (Pick<PairRow, 'pair' | 'pooled' | 'round' | 'version'> & {
    quality: number;
    tokens: number;
    seconds: number;
  })[];
  predictions: PredictionScore;
  /** Absent in reports from before side effects were predicted. */
  sideEffects?: SideEffectScore;
  looks: { count: number; by: SealedLook[] };
  /** Sealed tasks that were public when the weights were released; null: none is known to be. */
  contamination: Contamination | null;
  /** The model that judged the answers, and its votes for each; null where no model did. */
  judge: { model: string; votes: number } | null;
  ledger: { lines: LedgerLine[]; tokens: number; rollouts: number; seconds: number };
}

/** Everything the report shows, read from the journal alone. Writes nothing. */
export async function readReport(journal: Journal, run: string): Promise<ReportData> {
  const tests = await sealedTests(journal);
  const versions = (await journal.entries('version')).map((entry) => entry.value as Version);
  const looks = await sealedLooks(journal);
  const seeds: SeedReport[] = [];
  for (const test of tests) {
    const untried = await untriedRounds(journal, test.seed, lastRound([test]));
    seeds.push({ seed: test.seed, ...summarise([test]), untried });
  }
  const summary = summarise(tests);
  return {
    schema: REPORT_SCHEMA,
    run,
    seed: seeds.length === 1 ? (seeds[0]?.seed ?? null) : null,
    seeds,
    ...summary,
    front: frontOf(summary.pairs),
    predictions: scorePredictions(versions),
    sideEffects: scoreSideEffects(versions),
    versions: versions.map((version) => ({
      version: version.version,
      seed: version.seed,
      round: version.round,
      parent: version.parent,
      kind: version.kind,
      verdict: version.verdict,
      accepted: version.accepted,
      reason: version.reason,
      explanation: version.explanation,
      title: versionTitle(version),
      whole: deltaOf(version.decision?.whole),
      targeted: deltaOf(version.decision?.targeted),
      heldOut: deltaOf(version.decision?.heldOut),
      tokens: version.decision?.tokens ?? null,
    })),
    looks: { count: looks.length, by: looks },
    contamination: (await runHeader(journal))?.contamination ?? null,
    judge: await judgeOf(journal),
    ledger: await ledgerOf(journal),
  };
}

async function judgeOf(journal: Journal): Promise<ReportData['judge']> {
  const header = await runHeader(journal);
  if (header === undefined) return null;
  const verifier = checkVerifierConfig(header.verifier);
  return verifier.kind === 'judge' ? { model: verifier.model, votes: verifier.votes } : null;
}

function deltaOf(effect: Effect | null | undefined): Delta | null {
  return effect === null || effect === undefined ? null : { mean: effect.mean, low: effect.low, high: effect.high };
}

function frontOf(pairs: readonly PairRow[]): ReportData['front'] {
  // A round that accepted nothing ends with the pair it began with.
  const distinct = pairs.filter((row, index) => pairs.findIndex((other) => isSamePool(other, row)) === index);
  const points = distinct.flatMap(({ pair, pooled, round, version, accuracy, tokens, seconds, tasks }) => {
    const named = { pair, pooled, round, ...(version === undefined ? {} : { version }) };
    return accuracy === null ? [] : [{ ...named, quality: accuracy, tokens: tokens / tasks, seconds: seconds / tasks }];
  });
  return paretoFront(points);
}

/** Whether every seed has the same pair in both rows. */
function isSamePool(one: PairRow, other: PairRow): boolean {
  return one.pooled.join() === other.pooled.join();
}

type Role = { round: number; harness: 'old' | 'new'; model: 'old' | 'new' };

function summarise(tests: readonly SealedTest[]): Omit<SeedReport, 'seed' | 'untried'> {
  const rounds = lastRound(tests);
  const ends = Array.from({ length: rounds + 1 }, (_, round) =>
    rolesResults(tests, { round, harness: 'new', model: 'new' }),
  );
  const pairs = ends.flatMap((results, round) => (results.length === 0 ? [] : [pairRow(results, round)]));
  const crossed: CrossedTable[] = [];
  const differences: DifferenceRow[] = [];
  for (let round = 1; round <= rounds; round++) {
    crossed.push(crossedTable(tests, round));
    differences.push(difference(`round ${round} against round ${round - 1}`, ends[round - 1] ?? [], ends[round] ?? []));
    for (const role of [
      { round, harness: 'new', model: 'old' },
      { round, harness: 'old', model: 'new' },
    ] as const) {
      const results = rolesResults(tests, role);
      if (results.length === 0) continue;
      const row = pairRow(results, null);
      if (!pairs.some((known) => isSamePool(known, row))) pairs.push(row);
    }
  }
  for (const row of tests.flatMap(besideRows)) if (!pairs.some((known) => isSamePool(known, row))) pairs.push(row);
  if (rounds > 1)
    differences.push(difference(`round ${rounds} against the seed pair`, ends[0] ?? [], ends[rounds] ?? []));
  return { pairs, crossed, differences };
}

function lastRound(tests: readonly SealedTest[]): number {
  return Math.max(0, ...tests.flatMap((test) => test.rounds.map((end) => end.round)));
}

/** The result that plays a role in each seed: old = champion of the round before, new = of this round. Round 0 is the seed. */
function rolesResults(tests: readonly SealedTest[], role: Role): SealedResult[] {
  return tests.flatMap((test) => {
    const end = test.rounds.find(({ round }) => round === role.round);
    const before = test.rounds.find(({ round }) => round === role.round - 1) ?? end;
    if (end === undefined || before === undefined) return [];
    const harness = (role.harness === 'new' ? end : before).harness;
    const model = (role.model === 'new' ? end : before).model;
    return test.results.filter((result) => result.pair.harness === harness && contentHash(result.pair.model) === model);
  });
}

/** What was `faster` beside the champions of one seed. */
function besideRows({ faster = [], results }: SealedTest): PairRow[] {
  return faster.flatMap(({ version, harness, model }) => {
    const own = results.find(({ pair }) => pair.harness === harness && contentHash(pair.model) === model);
    return own === undefined ? [] : [{ ...pairRow([own], null), version }];
  });
}

function pairRow(results: readonly SealedResult[], round: number | null): PairRow {
  const rollouts = results.flatMap((result) => result.rollouts);
  // Seeds and repeats meet the same tasks.
  const average = averageAtK(
    rollouts.map(({ task, score }) => ({ task, passed: score === null ? null : score === 1 })),
  );
  const pooled = results.map(({ pair }) => pairHash(pair));
  return {
    pair: onlyOf(pooled),
    harness: onlyOf(results.map(({ pair }) => pair.harness)),
    model: onlyOf(results.map(({ pair }) => contentHash(pair.model))),
    pooled,
    round,
    split: 'test',
    tasks: rollouts.length,
    repeats: Math.round(rollouts.length / Math.max(1, new Set(rollouts.map(({ task }) => task)).size)),
    scored: rollouts.filter(({ score }) => score !== null).length,
    correct: rollouts.filter(({ score }) => score === 1).length,
    accuracy: average?.mean ?? null,
    low: average?.low ?? null,
    high: average?.high ?? null,
    tokens: rollouts.reduce((sum, { tokens }) => sum + tokens, 0),
    seconds: results.reduce((sum, { seconds }) => sum + seconds, 0),
  };
}

/** What all are; null where they differ. */
function onlyOf(hashes: readonly string[]): string | null {
  return new Set(hashes).size === 1 ? (hashes[0] ?? null) : null;
}

/** Score by task, averaged over seeds; tasks without a score on any side are left out by the callers. */
function scoresByTask(results: readonly SealedResult[]): Map<string, { group: string; score: number }> {
  const sums = new Map<string, { group: string; total: number; count: number }>();
  for (const { task, group, score } of results.flatMap((result) => result.rollouts)) {
    if (score === null) continue;
    const entry = sums.get(task) ?? { group, total: 0, count: 0 };
    sums.set(task, { group, total: entry.total + score, count: entry.count + 1 });
  }
  return new Map([...sums].map(([task, { group, total, count }]) => [task, { group, score: total / count }]));
}

/** Mean over shared tasks of a signed sum of arms, with an interval over groups. */
function contrast(arms: readonly { sign: 1 | -1; results: readonly SealedResult[] }[]) {
  const scores = arms.map(({ results }) => scoresByTask(results));
  const values: { group: string; value: number }[] = [];
  for (const [task, { group }] of scores[0] ?? []) {
    const row = scores.map((byTask) => byTask.get(task)?.score);
    if (row.some((score) => score === undefined)) continue;
    const value = row.reduce<number>((sum, score, index) => sum + (arms[index]?.sign ?? 1) * (score ?? 0), 0);
    values.push({ group, value });
  }
  const means = [...groupMeans(values).values()];
  return groupBootstrap(means, { level: 0.95, resamples: 2000, seed: 1 }) ?? { mean: 0, low: -2, high: 2 };
}

function difference(name: string, before: readonly SealedResult[], after: readonly SealedResult[]): DifferenceRow {
  const { mean, low, high } = contrast([
    { sign: 1, results: after },
    { sign: -1, results: before },
  ]);
  return { name, difference: mean, low, high, significant: low > 0 || high < 0 };
}

function crossedTable(tests: readonly SealedTest[], round: number): CrossedTable {
  const cellResults = (harness: 'old' | 'new', model: 'old' | 'new') => rolesResults(tests, { round, harness, model });
  const cells = (['old', 'new'] as const).flatMap((harness) =>
    (['old', 'new'] as const).map((model) => {
      const results = cellResults(harness, model);
      const row = results.length === 0 ? null : pairRow(results, null);
      return { harness, model, accuracy: row?.accuracy ?? null, low: row?.low ?? null, high: row?.high ?? null };
    }),
  );
  const { mean, low, high } = contrast([
    { sign: 1, results: cellResults('new', 'new') },
    { sign: -1, results: cellResults('new', 'old') },
    { sign: -1, results: cellResults('old', 'new') },
    { sign: 1, results: cellResults('old', 'old') },
  ]);
  const floor = cells.some(({ accuracy }) => accuracy !== null && (accuracy < 0.05 || accuracy > 0.95));
  return { round, cells, interaction: mean, low, high, floor };
}
