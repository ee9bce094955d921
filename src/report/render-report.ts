import { shortHash } from '../base/content-hash.ts';
import { percent } from '../base/share-text.ts';
import { PRINT_WIDTH as WIDTH, wrapIndented, wrapText } from '../base/wrap-text.ts';
import { contaminationText } from '../task/contamination.ts';
import type { CrossedTable, DifferenceRow, PairRow, ReportData } from './report-data.ts';

/** The report as plain text, at most 80 columns. `folder` is where the run lies. */
export function renderReport(data: ReportData, folder: string): string {
  const sections = [
    heading(data),
    pairsSection(data.pairs),
    differencesSection(data.differences),
    ...data.crossed.map((crossed) => crossedSection(crossed, unchangedHalves(data, crossed.round), data.seeds)),
    frontSection(data),
    versionsSection(data),
    predictionsSection(data),
    ledgerSection(data),
    looksSection(data),
    contaminationSection(data),
    judgeSection(data),
    `Everything lies in ${folder}:\n  run.sqlite (journal), registry/ (every harness), adapters/, datasets/, report/`,
  ];
  return `\n${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function heading(data: ReportData): string {
  const seeds = data.seeds.length > 1 ? `, ${data.seeds.length} seeds pooled` : '';
  return `Report of ${data.run}${seeds}\n${'='.repeat(Math.min(WIDTH, 10 + data.run.length + seeds.length))}`;
}

function pairsSection(pairs: readonly PairRow[]): string {
  if (pairs.length === 0) return 'The sealed test was not opened yet: the run is not finished.';
  const rows = pairs.map((row) => [
    roleOf(row),
    pairName(row.harness, row),
    pairName(row.model, row),
    `${row.correct}/${row.scored}`,
    share(row.accuracy),
    row.low === null || row.high === null ? '' : `${share(row.low)}-${share(row.high)}`,
    row.scored === 0 ? '' : `${Math.round(row.tokens / row.tasks)}`,
    row.scored === 0 ? '' : (row.seconds / row.tasks).toFixed(1),
  ]);
  const head = ['pair', 'harness', 'weights', 'correct', 'share', '95% interval', 'tok/task', 's/task'];
  const repeats = Math.max(...pairs.map((row) => row.repeats));
  const kind = repeats === 1 ? 'Wilson 95% intervals' : `avg@${repeats}, Wilson 95% intervals over tasks`;
  return `Sealed test (${kind})\n${table([head, ...rows])}`;
}

function roleOf({ round, version }: Pick<PairRow, 'round' | 'version'>): string {
  if (version !== undefined) return `v${version} faster`;
  return round === null ? 'crossed' : round === 0 ? 'seed' : `round ${round}`;
}

/** A hash of a row that pools seeds, or how many pairs stand behind it where it is not the same for all. */
function pairName(hash: string | null, { pooled }: Pick<PairRow, 'pooled'>): string {
  return hash === null ? `${new Set(pooled).size} pairs` : shortHash(hash);
}

function differencesSection(differences: readonly DifferenceRow[]): string {
  if (differences.length === 0) return '';
  const lines = differences.flatMap(({ name, difference, low, high, significant }) => {
    const verdict = significant ? '' : ', not significant';
    return wrapIndented(`${name}: ${points(difference)} (${points(low)} to ${points(high)})${verdict}`, '  ');
  });
  return `Differences on the same tasks (points; bootstrap over groups, 95%)\n${lines.join('\n')}`;
}

/** What a round left as it was, for every seed. */
function unchangedHalves({ seeds }: ReportData, round: number): { harness: boolean; model: boolean } {
  const isUnchanged = (half: 'harness' | 'model') =>
    seeds.every(({ pairs }) => {
      const [before, after] = [round - 1, round].map((wanted) => pairs.find((row) => row.round === wanted));
      return before !== undefined && after !== undefined && before[half] === after[half];
    });
  return { harness: isUnchanged('harness'), model: isUnchanged('model') };
}

/** Why a round left every seed's pair as it was. */
function unchangedText(round: number, seeds: ReportData['seeds']): string {
  const untried = seeds.filter((seed) => seed.untried.includes(round)).length;
  const why = 'nothing was tried: too little time was left';
  if (untried === seeds.length) return `${why}.`;
  const some = untried === 0 ? '' : ` (in ${untried} of ${seeds.length} seeds ${why})`;
  return `nothing was accepted, the pair stayed what it was${some}.`;
}

function crossedSection(
  table2: CrossedTable,
  unchanged: { harness: boolean; model: boolean },
  seeds: ReportData['seeds'],
): string {
  const start = `Round ${table2.round}:`;
  if (unchanged.harness && unchanged.model) {
    return wrapText(`${start} ${unchangedText(table2.round, seeds)}`, WIDTH).join('\n');
  }
  if (unchanged.model) return `${start} the weights stayed what they were, so there is nothing to cross.`;
  if (unchanged.harness) return `${start} the harness stayed what it was, so there is nothing to cross.`;
  const cell = (harness: 'old' | 'new', model: 'old' | 'new') => {
    const found = table2.cells.find((candidate) => candidate.harness === harness && candidate.model === model);
    return found === undefined || found.low === null || found.high === null
      ? 'not measured'
      : `${share(found.accuracy)} (${share(found.low)}-${share(found.high)})`;
  };
  const grid = table([
    ['', 'old weights', 'new weights'],
    ['old harness', cell('old', 'old'), cell('old', 'new')],
    ['new harness', cell('new', 'old'), cell('new', 'new')],
  ]);
  const note = table2.floor ? '\n  A cell is at the floor or ceiling: the interaction says little.' : '';
  const interaction = `  interaction ${points(table2.interaction)} (${points(table2.low)} to ${points(table2.high)})`;
  return `Round ${table2.round}: harness x weights\n${grid}\n${interaction}${note}`;
}

function versionsSection(data: ReportData): string {
  const lines = data.versions.flatMap((version) => {
    const effect =
      version.whole === null
        ? ''
        : ` ${points(version.whole.mean)} (${points(version.whole.low)} to ${points(version.whole.high)})`;
    const seed = data.seeds.length > 1 ? ` seed ${version.seed}` : '';
    return [
      ...wrapIndented(`v${version.version}${seed} ${version.verdict}${effect}: ${version.title}`, '  ', '      '),
      ...strataLine(version),
      ...(version.explanation === version.title ? [] : wrapText(version.explanation, WIDTH - 6)).map(
        (line) => `      ${line}`,
      ),
    ];
  });
  return `Versions (all that was proposed, in order)\n${lines.join('\n')}`;
}

/** Both deltas with their intervals, and what a rollout cost before and after. */
function strataLine({ targeted, heldOut, tokens }: ReportData['versions'][number]): string[] {
  if (tokens === null) return [];
  const delta = (name: string, effect: typeof targeted) =>
    effect === null ? [] : [`${name} ${points(effect.mean)} (${points(effect.low)} to ${points(effect.high)})`];
  const cost = `${Math.round(tokens.parent)} -> ${Math.round(tokens.child)} tokens`;
  return wrapText([...delta('targeted', targeted), ...delta('held out', heldOut), cost].join(', '), WIDTH - 6).map(
    (line) => `      ${line}`,
  );
}

function frontSection({ front }: ReportData): string {
  if (front.length === 0) return '';
  const rows = front.map(({ quality, tokens, seconds, ...row }, rank) => [
    `${pairName(row.pair, row)} (${roleOf(row)})`,
    share(quality),
    `${Math.round(tokens)}`,
    seconds.toFixed(1),
    rank === 0 ? 'best quality' : '',
  ]);
  return `Not beaten in quality, tokens and seconds together (sealed test)\n${table([['pair', 'share', 'tok/task', 's/task', ''], ...rows])}`;
}

function predictionsSection({ predictions, sideEffects }: ReportData): string {
  const { predicted, observed } = predictions;
  const lines = [
    predictionLine('failures mended', predictions),
    ...(sideEffects === undefined
      ? []
      : [predictionLine('successes broken', sideEffects.regression), predictionLine('tokens added', sideEffects.cost)]),
  ].filter((line) => line !== '');
  if (lines.length === 0) return '';
  return [`What the proposers predicted (${observed} of ${predicted} predictions observed)`, ...lines].join('\n');
}

function predictionLine(what: string, { observed, precision, recall, meanError }: ReportData['predictions']): string {
  if (observed === 0 || meanError === null) return '';
  return `  ${what}: precision ${share(precision)}, recall ${share(recall)}, mean error ${(meanError * 100).toFixed(1)} points`;
}

function ledgerSection({ ledger }: ReportData): string {
  const rows = ledger.lines.map((line) => [
    line.purpose,
    `${line.rollouts}`,
    `${line.modelCalls}`,
    `${line.promptTokens}`,
    `${line.completionTokens}`,
    line.purpose === 'training' ? line.seconds.toFixed(0) : '',
  ]);
  return `Costs\n${table([['for', 'rollouts', 'calls', 'prompt tok', 'new tok', 'seconds'], ...rows])}\n  ${ledger.tokens} tokens in all`;
}

function looksSection({ looks }: ReportData): string {
  const evaluated = looks.by.filter(({ by }) => by === 'eval').length;
  const warning = evaluated > 0 ? ` ${evaluated} of them outside the report: the result is no longer sealed.` : '';
  return `Looks at the sealed test: ${looks.count}.${warning}`;
}

function contaminationSection({ contamination }: ReportData): string {
  if (contamination === null) return '';
  return wrapText(`Caution: ${contaminationText(contamination, 'sealed test tasks')}`, WIDTH).join('\n');
}

function judgeSection({ judge }: ReportData): string {
  if (judge === null) return '';
  const { model, votes } = judge;
  const text = `Every answer, those of the sealed test too, was judged by a model: ${model}, ${votes} vote${votes === 1 ? '' : 's'} each. Its errors are in these shares.`;
  return wrapText(text, WIDTH).join('\n');
}

/** Columns separated by two spaces; the first is left-aligned, the others right-aligned. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map(
      (row) =>
        `  ${row.map((text, column) => (column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0))).join('  ')}`,
    )
    .map((line) => line.trimEnd())
    .join('\n');
}

function share(value: number | null): string {
  return value === null ? 'none' : percent(value);
}

function points(value: number): string {
  return `${value >= 0 ? '+' : ''}${(value * 100).toFixed(1)}`;
}
