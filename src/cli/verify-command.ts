import type { Command } from 'commander';
import { systemClock } from '../base/clock.ts';
import { type CaseReport, type JudgedCase, verifyCases } from '../task/answer-equivalence/verify-cases.ts';

interface VerifyOptions {
  cases: string;
  json?: boolean;
}

export function registerVerifyCommand(program: Command): void {
  program
    .command('verify')
    .description('the answer checker against a file of cases with known verdicts')
    .requiredOption('--cases <file>', 'JSONL with {pred, gold, expected: true|false, options?, id?}')
    .option('--json', 'the result as JSON (schema co-harness/verify@1)')
    .action(verify);
}

async function verify(options: VerifyOptions): Promise<void> {
  const report = await verifyCases(options.cases, systemClock);
  if (report.unknownOptions.length > 0) {
    process.stderr.write(`Ignored options: ${report.unknownOptions.join(', ')}. Known are question and extraction.\n`);
  }
  const result = verifyResult(report);
  process.stdout.write(options.json === true ? `${JSON.stringify(result)}\n` : renderReport(report, result));
  if (result.correct < result.total) process.exitCode = 1;
}

interface VerifyResult {
  schema: 'co-harness/verify@1';
  total: number;
  correct: number;
  falseAccepts: (string | number)[];
  falseRejects: (string | number)[];
  undecided: (string | number)[];
  checksPerSecond: number;
}

/** Every case is either correct or in exactly one of the three lists. */
function verifyResult({ cases, seconds }: CaseReport): VerifyResult {
  const idsWhere = (test: (judged: JudgedCase) => boolean) => cases.filter(test).map(({ id }) => id);
  const falseAccepts = idsWhere(({ expected, check }) => !expected && check.verdict === 'equal');
  const falseRejects = idsWhere(({ expected, check }) => expected && check.verdict === 'different');
  const undecided = idsWhere(({ check }) => check.verdict === 'undecided');
  return {
    schema: 'co-harness/verify@1',
    total: cases.length,
    correct: cases.length - falseAccepts.length - falseRejects.length - undecided.length,
    falseAccepts,
    falseRejects,
    undecided,
    checksPerSecond: Math.round(cases.length / Math.max(seconds, 1e-6)),
  };
}

function renderReport({ cases }: CaseReport, result: VerifyResult): string {
  const errors = cases.filter(
    ({ expected, check }) => check.verdict === 'undecided' || (check.verdict === 'equal') !== expected,
  );
  const count = (expected: boolean, verdict: string) =>
    String(cases.filter((judged) => judged.expected === expected && judged.check.verdict === verdict).length).padStart(
      10,
    );
  const row = (expected: boolean) =>
    ['equal', 'different', 'undecided'].map((verdict) => count(expected, verdict)).join('');
  return [
    ...errors.map(renderError),
    ...(errors.length > 0 ? [''] : []),
    '                     equal different undecided',
    `expected equal  ${row(true)}`,
    `expected not    ${row(false)}`,
    '',
    `${result.correct} of ${result.total} correct, ${result.falseAccepts.length} false accepts, ${result.falseRejects.length} false rejects, ` +
      `${result.undecided.length} undecided; ${result.checksPerSecond} checks per second`,
    '',
  ].join('\n');
}

function renderError({ id, prediction, gold, expected, check }: JudgedCase): string {
  const kind = check.verdict === 'undecided' ? 'undecided' : expected ? 'false reject' : 'false accept';
  const read = check.extracted === null || check.extracted === prediction ? '' : ` (read ${shown(check.extracted)})`;
  return `${kind} ${id}: ${shown(prediction)}${read} against ${shown(gold)}: ${check.why}`;
}

function shown(text: string | null): string {
  const quoted = JSON.stringify(text);
  return quoted.length > 100 ? `${quoted.slice(0, 97)}…"` : quoted;
}
