import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { writeAtomically } from '../base/atomic-file.ts';
import { CoHarnessError } from '../base/errors.ts';
import { interruptSignal } from '../base/interrupt-signal.ts';
import { wrapText } from '../base/wrap-text.ts';
import { cacheFolder } from '../setup/cache-folder.ts';
import { fetchPublishedFile } from '../task/published/fetch-published-file.ts';
import { type FoundSplit, findPublishedSet, PUBLISHED_SETS } from '../task/published/published-set.ts';
import { type PublishedTask, readPublishedTasks } from '../task/published/read-published-tasks.ts';

interface GetOptions {
  split?: string;
  from?: string;
  hash?: string;
  out?: string;
  json?: boolean;
}

export function registerDataCommand(program: Command): void {
  const data = program.command('data').description('published data sets as task files');
  data
    .command('list')
    .description('which sets there are, their licences and addresses')
    .option('--json', 'schema co-harness/data-list@1')
    .action(list);
  data
    .command('get')
    .description('fetch data sets and write them as one task file; what was fetched before comes from the cache')
    .argument('<names...>', `data sets: ${Object.keys(PUBLISHED_SETS).join(', ')}`)
    .option('--split <split>', 'which part; default: the first that the set has')
    .option('--from <file>', 'a file on this disk in its published form, or the address of a mirror')
    .option('--hash <sha256>', 'SHA-256 that the published file must have')
    .option('--out <file>', 'JSONL to write; default: data/NAME-SPLIT.jsonl')
    .option('--json', 'what was written, as JSON (schema co-harness/data@1)')
    .action(get);
}

interface FetchedSet {
  found: FoundSplit;
  source: string;
  hash: string;
  tasks: PublishedTask[];
}

async function get(given: readonly string[], options: GetOptions): Promise<void> {
  // A set that is named twice would give each of its ids twice.
  const names = [...new Set(given)];
  const found = names.map((name) => findPublishedSet(name, options.split));
  refuseOneForSeveral(names, options);
  const [first] = found as [FoundSplit];
  const out = options.out ?? join('data', `${first.name}-${first.split}.jsonl`);
  const signal = interruptSignal();
  const sets: FetchedSet[] = [];
  for (const one of found) sets.push(await fetchSet(one, options, signal));
  const lines = sets.flatMap(({ tasks }) => tasks.map((task) => JSON.stringify(task)));
  await writeAtomically(out, `${lines.join('\n')}\n`);
  print(out, sets, options.json === true);
}

/** One file, hash or default name cannot stand for several sets. */
function refuseOneForSeveral(names: readonly string[], options: GetOptions): void {
  if (names.length === 1) return;
  const option = options.from !== undefined ? '--from' : options.hash !== undefined ? '--hash' : null;
  if (option === null && options.out !== undefined) return;
  throw new CoHarnessError(
    'invalid-usage',
    option === null
      ? `Several data sets (${names.join(', ')}) need --out FILE, the one file to write them to.`
      : `${option} names one published file, but ${names.length} data sets are asked for (${names.join(', ')}). Get them one by one.`,
    { details: { names } },
  );
}

async function fetchSet(found: FoundSplit, options: GetOptions, signal: AbortSignal): Promise<FetchedSet> {
  const { path, hash, source } = await fetchPublishedFile(found, {
    cacheFolder: cacheFolder(),
    ...(options.from === undefined ? {} : { from: options.from }),
    ...(options.hash === undefined ? {} : { expectedHash: options.hash }),
    log: (line) => process.stderr.write(`${line}\n`),
    signal,
  });
  // A path of this machine means nothing elsewhere: the name of the file and its hash do.
  const named = source === path ? `${basename(path)}@${hash.slice(0, 12)}` : source;
  return { found, source, hash, tasks: await readPublishedTasks(path, found, named) };
}

function print(out: string, sets: readonly FetchedSet[], json: boolean): void {
  const rows = sets.reduce((sum, { tasks }) => sum + tasks.length, 0);
  if (json) {
    process.stdout.write(`${JSON.stringify({ schema: 'co-harness/data@1', out, rows, sets: sets.map(summary) })}\n`);
    return;
  }
  const lines = sets.flatMap((set) => {
    const { name, split, licence, publishedOn, expectedRows, caution } = summary(set);
    return [
      `${name} (${split}): ${set.tasks.length} tasks, ${set.found.set.title}, public since ${publishedOn}`,
      `  licence: ${licence}`,
      `  from ${set.source}`,
      `  SHA-256 ${set.hash}`,
      ...(set.tasks.length === expectedRows ? [] : [`  note: the published file has ${expectedRows} rows`]),
      ...(caution === null ? [] : [`  caution: ${caution}`]),
    ];
  });
  process.stdout.write(`${[...lines, `${rows} tasks written to ${out}`].join('\n')}\n`);
}

function summary({ found, source, hash, tasks }: FetchedSet) {
  const { name, split, rows, set } = found;
  return {
    name,
    split,
    source,
    hash,
    licence: set.licence,
    publishedOn: set.publishedOn,
    rows: tasks.length,
    expectedRows: rows,
    caution: set.caution ?? null,
  };
}

function list({ json }: { json?: boolean }): void {
  const sets = Object.entries(PUBLISHED_SETS).map(([name, { title, licence, publishedOn, splits }]) => ({
    name,
    title,
    licence,
    publishedOn,
    splits: Object.entries(splits).map(([split, { url, rows }]) => ({ split, rows, url })),
  }));
  if (json === true) {
    process.stdout.write(`${JSON.stringify({ schema: 'co-harness/data-list@1', sets })}\n`);
    return;
  }
  const lines = sets.flatMap(({ name, title, licence, publishedOn, splits }) => [
    `${name}: ${title}, public since ${publishedOn}`,
    ...wrapText(`licence: ${licence}`, 78).map((line) => `  ${line}`),
    ...splits.flatMap(({ split, rows, url }) => [`  ${split}, ${rows} rows:`, `    ${url}`]),
  ]);
  process.stdout.write(`${lines.join('\n')}\n`);
}
