import { contentHash } from '../base/content-hash.ts';
import type { Journal } from '../base/journal.ts';
import { tokensOf } from '../model/tokens-of.ts';
import { scoreOf } from '../trajectory/score-of.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import type { Pair } from './version.ts';

/** What is recomputed of a row of kind `sealed-test`. */
interface SealedTestRow {
  seed: number;
  results: { pair: Pair; rollouts: { task: string; score: number | null; tokens: number }[] }[];
}

/**
 * Tells where a sealed test does not hold the scores and tokens of its `rollouts` (all of the journal), where it has tasks that the run did not seal, and where nobody counted its look. What has no score was not
 * kept, and cannot be told.
 */
export async function checkSealedTests(
  journal: Journal,
  rollouts: readonly Trajectory[],
  problems: string[],
): Promise<void> {
  const valuesOf = async (kind: string) => (await journal.entries(kind)).map(({ value }) => value);
  const tests = (await valuesOf('sealed-test')) as SealedTestRow[];
  if (tests.length === 0) return;
  const kept = resultsKept(rollouts);
  const [header] = (await valuesOf('run')) as { sealed: string[] }[];
  const sealed = new Set(header?.sealed ?? []);
  const looks = (await valuesOf('sealed-look')) as { by: string; seed: number | null }[];
  for (const { seed, results } of tests) {
    const rows = results.flatMap(({ pair, rollouts: own }) => own.map((rollout) => ({ pair, ...rollout })));
    const name = `sealed test of seed ${seed}`;
    const foreign = rows.filter((row) => row.score !== null && !kept.has(resultOf(row))).length;
    if (foreign > 0)
      problems.push(
        `${name}: ${foreign} of its ${rows.length} results are not those of the rollouts that the journal holds`,
      );
    const unsealed = new Set(rows.flatMap(({ task }) => (sealed.has(task) ? [] : [task]))).size;
    if (unsealed > 0) problems.push(`${name}: ${unsealed} of its tasks are not among those that the run sealed`);
    if (!looks.some((look) => look.by === 'report' && look.seed === seed))
      problems.push(`${name}: its look is not counted`);
  }
}

function resultsKept(rollouts: readonly Trajectory[]): Set<string> {
  const ofTest = rollouts.filter(({ identity }) => identity.split === 'test');
  return new Set(
    ofTest.map((rollout) => {
      const { harness, model, task } = rollout.identity;
      return resultOf({ pair: { harness, model }, task, score: scoreOf(rollout), tokens: tokensOf(rollout.usage) });
    }),
  );
}

function resultOf({
  pair,
  task,
  score,
  tokens,
}: {
  pair: Pair;
  task: string;
  score: number | null;
  tokens: number;
}): string {
  return contentHash({ harness: pair.harness, model: pair.model, task, score, tokens });
}
