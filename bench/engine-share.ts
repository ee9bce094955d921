/**
 * How much of its engine's own batched rate whole rollouts reach: a pair's rollouts with tools over many tasks at once, against the very requests that they sent, given to the
 * engine as fast as it takes them (no loop, no tools, no waiting for a turn's answer). Same engine, same process, in turns. Wanted: ≥ 85%.
 *
 *     npx node bench/engine-share.ts --run RUN [--pair champion] [--tasks 120] [--rounds 3] [--alone 20] [--set key=value …] [--json]
 *
 * --alone: rollouts for the rate of one at a time. Greedy or not, seeds are fixed, so that every round asks the same.
 */
import { availableParallelism, cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/base/clock.ts';
import { memoryJournal } from '../src/base/journal.ts';
import { seedFrom } from '../src/base/random.ts';
import { gateSubject } from '../src/cli/gate-subject.ts';
import { openRunEngines } from '../src/cli/open-run-engines.ts';
import { countNumber } from '../src/lab/option-numbers.ts';
import type { GenerationRequest } from '../src/model/model-backend.ts';
import type { RolloutJob } from '../src/rollout/rollout-job.ts';
import { runBatch } from '../src/rollout/run-batch.ts';
import { modelCalls } from '../src/trajectory/model-calls.ts';
import type { Trajectory } from '../src/trajectory/trajectory.ts';

const { values: options } = parseArgs({
  options: {
    run: { type: 'string' },
    pair: { type: 'string', default: 'champion' },
    tasks: { type: 'string', default: '120' },
    rounds: { type: 'string', default: '3' },
    alone: { type: 'string', default: '20' },
    set: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
  },
});

const controller = new AbortController();
process.once('SIGINT', () => controller.abort());
const { signal } = controller;
const subject = await gateSubject(options.run, { pair: options.pair, set: options.set });
const engines = await openRunEngines(subject.folder, subject.header, signal);
const model = await engines.models.open(subject.version.pair.model);
const jobs: RolloutJob[] = subject.tasks.slice(0, countNumber(options.tasks)).map((task) => ({
  harness: subject.harness,
  model,
  task,
  split: 'eval',
  repeat: 0,
  seed: seedFrom(1, 'engine share', task.hash),
  verifier: subject.verifier,
  sampling: null,
  clock: systemClock,
  signal,
  toolHosts: engines.toolHosts,
}));

interface Timed {
  rollouts: number;
  calls: number;
  completionTokens: number;
  seconds: number;
}

async function timed(step: () => Promise<Omit<Timed, 'seconds'>>): Promise<Timed> {
  const start = performance.now();
  const counts = await step();
  return { ...counts, seconds: (performance.now() - start) / 1000 };
}

const rollOut = (some: readonly RolloutJob[]): Promise<Trajectory[]> =>
  runBatch(some, { journal: memoryJournal(), signal });

function countsOf(rollouts: readonly Trajectory[]): Omit<Timed, 'seconds'> {
  return {
    rollouts: rollouts.length,
    calls: rollouts.flatMap(modelCalls).length,
    completionTokens: rollouts.reduce((sum, { usage }) => sum + usage.completionTokens, 0),
  };
}

/** All requests of the rollouts, as many in flight as the engine wants. */
async function engineAlone(requests: readonly GenerationRequest[], rollouts: number): Promise<Omit<Timed, 'seconds'>> {
  let completionTokens = 0;
  const queue = requests.values();
  const lane = async () => {
    for (const request of queue) {
      const { usage } = await model.generate(request);
      completionTokens += usage.completionTokens;
    }
  };
  await Promise.all(Array.from({ length: model.concurrency }, lane));
  return { rollouts, calls: requests.length, completionTokens };
}

const warm = await rollOut(jobs);
const requests = warm.flatMap(modelCalls).map(({ messages, sampling, seed, maxTokens, stop }) => ({
  messages,
  sampling,
  seed,
  maxTokens,
  stop,
  signal,
}));
const rounds: { whole: Timed; engine: Timed; share: number }[] = [];
for (let round = 0; round < countNumber(options.rounds); round++) {
  const engine = await timed(() => engineAlone(requests, jobs.length));
  const whole = await timed(async () => countsOf(await rollOut(jobs)));
  rounds.push({ whole, engine, share: engine.seconds / whole.seconds });
}
const alone = await timed(async () => {
  const rollouts: Trajectory[] = [];
  for (const job of jobs.slice(0, countNumber(options.alone))) rollouts.push(...(await rollOut([job])));
  return countsOf(rollouts);
});
await engines.close();

const middle = rounds.toSorted((a, b) => a.share - b.share)[Math.floor(rounds.length / 2)] as (typeof rounds)[number];
const rate = ({ rollouts, seconds }: Timed) => rollouts / seconds;
const outcome = {
  pair: subject.version.version,
  engine: subject.header.engines.model,
  concurrency: model.concurrency,
  cpu: cpus()[0]?.model,
  cores: availableParallelism(),
  loadAverage: loadavg()[0],
  rounds,
  alone,
  share: middle.share,
  ratio: rate(middle.whole) / rate(alone),
};
if (options.json) process.stdout.write(`${JSON.stringify(outcome)}\n`);
else {
  const line = (name: string, one: Timed) =>
    `${name.padEnd(18)} ${rate(one).toFixed(2)} rollouts/s (${one.rollouts} with ${one.calls} calls and ${one.completionTokens} new tokens in ${one.seconds.toFixed(1)} s)`;
  process.stdout.write(
    `v${outcome.pair}, ${outcome.concurrency} in flight, ${outcome.cores} cores, load ${outcome.loadAverage?.toFixed(1)}\n`,
  );
  for (const { whole, engine, share } of rounds) {
    process.stdout.write(
      `${line('whole rollouts', whole)}\n${line('the engine alone', engine)}, share ${(100 * share).toFixed(0)}%\n`,
    );
  }
  process.stdout.write(`${line('one at a time', alone)}\n`);
  process.stdout.write(
    `median share of the engine's own rate ${(100 * outcome.share).toFixed(0)}%; ${outcome.ratio.toFixed(2)} times one at a time\n`,
  );
}
