/**
 * Collects a pool of real rollouts of a pair against itself: the pair, and the pair with two placebo diffs (a blank at the end of a line, a synonym), on
 * gate tasks, each draw under seeds of its own. Stop it at any time (Ctrl-C) and give the same command again: it continues. Then
 *
 *     npx node bench/null-pool.ts [FOLDER or config] [--run RUN] [--rollouts 20000] [--minutes N] [--pool FILE]
 *         [--temperature 0.7] [--tokens 64] [--groups 50] [--per-group 5] [--set key=value …]
 *     npx co-harness lab null-pool FILE
 *
 * resamples whole searches from it. Without --run the pair is the config's seed pair; with it the run's champion.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/base/clock.ts';
import { AbortedError, CoHarnessError } from '../src/base/errors.ts';
import { seededRandom } from '../src/base/random.ts';
import { openSqliteJournal } from '../src/base/sqlite-journal.ts';
import { findConfigFile, loadConfig } from '../src/cli/config-file.ts';
import { openEngines } from '../src/cli/open-engines.ts';
import { findRun, withJournal } from '../src/cli/run-folders.ts';
import { collectNullPool, type PoolArm } from '../src/evolution/null-pool.ts';
import { prepareRun } from '../src/evolution/start-run.ts';
import { applyEdits } from '../src/harness/apply-patch.ts';
import type { Harness } from '../src/harness/harness.ts';
import type { ModelIdentity } from '../src/model/model-backend.ts';
import { openRegistry } from '../src/registry/registry.ts';
import { placeboEdits } from '../src/replay/placebo-edits.ts';
import { synonymEdit } from '../src/replay/synonym-edit.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    run: { type: 'string' },
    rollouts: { type: 'string', default: '20000' },
    minutes: { type: 'string' },
    pool: { type: 'string' },
    temperature: { type: 'string', default: '0.7' },
    tokens: { type: 'string' },
    groups: { type: 'string', default: '50' },
    'per-group': { type: 'string', default: '5' },
    set: { type: 'string', multiple: true, default: [] },
  },
});

const [place = 'examples/word-problems'] = positionals;
const file = findConfigFile(place);
const prepared = await prepareRun(await loadConfig(file, options.set), file);
const { name } = prepared.config;
const pair = options.run === undefined ? seedPair() : await championOf(options.run);
const folder = options.run === undefined ? join('runs', `null-pool-${name}`) : findRun(options.run).folder;
const poolFile = options.pool ?? join(folder, 'null-pool.sqlite');
const wanted = Number(options.rollouts);

const controller = new AbortController();
process.once('SIGINT', () => controller.abort());
const log = (text: string) => process.stderr.write(`${text}\n`);
const engines = await openEngines(prepared.config, folder, { signal: controller.signal, log });
const journal = openSqliteJournal(poolFile);
const timer =
  options.minutes === undefined ? undefined : setTimeout(() => controller.abort(), Number(options.minutes) * 60_000);
const startedAt = performance.now();
let collected = 0;
let lastLine = 0;
try {
  const harness = withTokens(pair.harness);
  await collectNullPool({
    name: `${name}, ${pair.title}, temperature ${options.temperature}`,
    arms: armsOf(harness),
    model: await engines.models.open(pair.model ?? engines.models.base),
    groups: gateGroups(),
    sampling: { ...harness.settings.sampling, temperature: Number(options.temperature) },
    seed: 1,
    verifier: prepared.verifier,
    toolHosts: engines.toolHosts,
    rollouts: wanted,
    journal,
    clock: systemClock,
    signal: controller.signal,
    onProgress: (progress) => {
      collected = progress.collected;
      const now = performance.now();
      if (now - lastLine < 2_000 && collected < wanted) return;
      lastLine = now;
      const rate = progress.bought / ((now - startedAt) / 1000);
      const left = progress.bought === 0 ? '' : `, ${rate.toFixed(2)}/s, ${duration((wanted - collected) / rate)} left`;
      const unscored = progress.unscored === 0 ? '' : ` (${progress.unscored} unscored)`;
      process.stderr.write(`\r${collected} of ${wanted} rollouts${unscored}${left}      `);
    },
  });
} catch (error) {
  if (!(error instanceof AbortedError)) throw error;
} finally {
  clearTimeout(timer);
  await journal.close();
  await engines.close();
}
process.stdout.write(
  `\n${collected} of ${wanted} rollouts in ${poolFile}.${collected < wanted ? ' The same command continues.' : ''}\n` +
    `Searches resampled from it: npx co-harness lab null-pool ${poolFile}\n`,
);
// Engines may hold threads that know nothing of the end.
process.exit(0);

interface Subject {
  title: string;
  harness: Harness;
  /** Absent: the base weights. */
  model?: ModelIdentity;
}

function seedPair(): Subject {
  return { title: 'seed pair', harness: prepared.harness };
}

async function championOf(run: string): Promise<Subject> {
  const { folder: runFolder, name: runName } = findRun(run);
  return withJournal(runFolder, async (runJournal) => {
    const registry = openRegistry(join(runFolder, 'registry'), runJournal);
    const version = await registry.find('champion');
    const harness = await registry.harness(version.pair.harness);
    return { title: `champion v${version.version} of ${runName}`, harness, model: version.pair.model };
  });
}

/** Short answers are enough here, and cost less. */
function withTokens(harness: Harness): Harness {
  if (options.tokens === undefined) return harness;
  const old = harness.settings.limits.tokensPerTurn;
  const edit = { path: 'harness.yaml#/limits/tokensPerTurn', old, value: Number(options.tokens) };
  return old === edit.value ? harness : applyEdits(harness, [edit]);
}

function armsOf(harness: Harness): PoolArm[] {
  const prompt = [{ path: 'prompts/system.md' }];
  const synonym = synonymEdit(harness);
  if (synonym === null) {
    throw new CoHarnessError(
      'no-placebo',
      'No word of prompts/system.md has a known synonym (src/replay/synonym-edit.ts).',
    );
  }
  return [
    { name: 'the pair', harness },
    { name: 'trailing space', harness: applyEdits(harness, placeboEdits(harness, prompt)) },
    { name: synonym.title, harness: applyEdits(harness, [synonym.edit]) },
  ];
}

function gateGroups() {
  const byGroup = [...Map.groupBy(prepared.splits.gate, ({ group }) => group).values()];
  const drawn = seededRandom(1).shuffled(byGroup).slice(0, Number(options.groups));
  return drawn.map((tasks) => tasks.slice(0, Number(options['per-group'])));
}

function duration(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
