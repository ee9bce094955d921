/**
 * Collects a pool of real rollouts of a pair against itself: the pair, and the pair with two placebo diffs (a blank at the end of a line, a synonym), on
 * gate tasks, each draw under seeds of its own. Stop it at any time (Ctrl-C) and give the same command again: it continues. Then
 *
 *     npx node bench/null-pool.ts [FOLDER or config] [--run RUN] [--rollouts 20000] [--minutes N] [--pool FILE]
 *         [--edit PLACE=JSON …] [--temperature 0.7] [--tokens 64] [--groups 50] [--per-group 5] [--set key=value …]
 *     npx co-harness lab null-pool FILE
 *
 * resamples whole searches from it. Without --run the pair is the config's seed pair; with it the run's champion (--pair: another version), on the gate tasks of that run. --edit changes its φ first
 * (FILE#/POINTER=JSON; harness.yaml#/answer/from='"tool"' takes the call as the answer and halves the cost).
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/base/clock.ts';
import { AbortedError } from '../src/base/errors.ts';
import { seededRandom } from '../src/base/random.ts';
import { openSqliteJournal } from '../src/base/sqlite-journal.ts';
import { findConfigFile, loadConfig } from '../src/cli/config-file.ts';
import { editedByOptions } from '../src/cli/edit-option.ts';
import { gateSubject } from '../src/cli/gate-subject.ts';
import { type OpenedEngines, openEngines } from '../src/cli/open-engines.ts';
import { openRunEngines } from '../src/cli/open-run-engines.ts';
import { formatSeconds } from '../src/cli/run-progress.ts';
import { collectNullPool, nullPoolArms } from '../src/evolution/null-pool.ts';
import { prepareRun } from '../src/evolution/start-run.ts';
import { applyEdits } from '../src/harness/apply-patch.ts';
import type { Harness } from '../src/harness/harness.ts';
import { countNumber, decimalNumber, positiveNumber } from '../src/lab/option-numbers.ts';
import type { ModelIdentity } from '../src/model/model-backend.ts';
import type { Task } from '../src/task/task.ts';
import type { Verifier } from '../src/task/verifier.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    run: { type: 'string' },
    pair: { type: 'string', default: 'champion' },
    edit: { type: 'string', multiple: true, default: [] },
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

const subject = options.run === undefined ? await seedPair() : await championOf(options.run);
const { folder, verifier } = subject;
const poolFile = options.pool ?? join(folder, 'null-pool.sqlite');
const wanted = countNumber(options.rollouts);
const minutes = options.minutes === undefined ? null : positiveNumber(options.minutes);
const temperature = decimalNumber(options.temperature);
const harness = withTokens(editedByOptions(subject.harness, options.edit));
const arms = nullPoolArms(harness);
const groups = gateGroups(subject.tasks);

const controller = new AbortController();
process.once('SIGINT', () => controller.abort());
const engines = await subject.open(controller.signal);
const journal = openSqliteJournal(poolFile);
const timer = minutes === null ? undefined : setTimeout(() => controller.abort(), minutes * 60_000);
const startedAt = performance.now();
let collected = 0;
let lastLine = 0;
try {
  await collectNullPool({
    name: `${subject.title}, temperature ${temperature}`,
    arms,
    model: await engines.models.open(subject.model ?? engines.models.base),
    groups,
    sampling: { ...harness.settings.sampling, temperature },
    seed: 1,
    verifier,
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
      const left =
        progress.bought === 0 ? '' : `, ${rate.toFixed(2)}/s, ${formatSeconds((wanted - collected) / rate)} left`;
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
  /** Where its pool and its adapters lie. */
  folder: string;
  harness: Harness;
  /** Absent: the base weights. */
  model?: ModelIdentity;
  tasks: readonly Task[];
  verifier: Verifier;
  open(signal: AbortSignal): Promise<OpenedEngines>;
}

async function seedPair(): Promise<Subject> {
  const file = findConfigFile(positionals[0] ?? 'examples/word-problems');
  const { config, harness, splits, verifier } = await prepareRun(await loadConfig(file, options.set), file);
  const folder = join('runs', `null-pool-${config.name}`);
  const log = (text: string) => process.stderr.write(`${text}\n`);
  const open = (signal: AbortSignal) => openEngines(config, folder, { signal, log });
  return { title: `${config.name}, seed pair`, folder, harness, tasks: splits.gate, verifier, open };
}

async function championOf(run: string): Promise<Subject> {
  const [config] = positionals;
  const named = config === undefined ? {} : { config };
  const found = await gateSubject(run, { pair: options.pair, ...named, set: options.set });
  const { folder, version, header } = found;
  const open = (signal: AbortSignal) => openRunEngines(folder, header, signal);
  return { ...found, title: `${found.name}, v${version.version}`, model: version.pair.model, open };
}

/** Short answers are enough here, and cost less. */
function withTokens(whole: Harness): Harness {
  if (options.tokens === undefined) return whole;
  const old = whole.settings.limits.tokensPerTurn;
  const edit = { path: 'harness.yaml#/limits/tokensPerTurn', old, value: countNumber(options.tokens) };
  return old === edit.value ? whole : applyEdits(whole, [edit]);
}

function gateGroups(tasks: readonly Task[]) {
  const byGroup = [...Map.groupBy(tasks, ({ group }) => group).values()];
  const drawn = seededRandom(1).shuffled(byGroup).slice(0, countNumber(options.groups));
  return drawn.map((group) => group.slice(0, countNumber(options['per-group'])));
}
