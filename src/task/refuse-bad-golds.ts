import { CoHarnessError } from '../base/errors.ts';
import { answerGoldProblem } from './answer-verifier.ts';
import { choiceGoldProblem } from './choice-verifier.ts';
import type { CheckedVerifierConfig } from './choose-verifier.ts';
import { functionCallGoldProblem } from './function-call-verifier.ts';
import { goldNumber } from './numeric-verifier.ts';
import type { TaskRow } from './task.ts';

const MOST_SHOWN = 20;

/**
 * Checks before anything is paid that the verifier can use every task's answer. `lineOf`: line of each task id in `file`. Throws CoHarnessError `invalid-gold` that lists
 * file, line, id and reason of up to 20 of them.
 */
export function refuseBadGolds(
  config: CheckedVerifierConfig,
  rows: readonly TaskRow[],
  origin: { file: string; lineOf?: ReadonlyMap<string, number> | undefined },
): void {
  const problems = rows.flatMap((row) => {
    const problem = goldProblemOf(config, row);
    return problem === null ? [] : [{ id: row.id, line: origin.lineOf?.get(row.id), answer: row.answer, problem }];
  });
  if (problems.length === 0) return;
  const shown = problems.slice(0, MOST_SHOWN).map(({ id, line, answer, problem }) => {
    const place = line === undefined ? origin.file : `${origin.file}:${line}`;
    return `  ${place} (${id}): ${JSON.stringify(answer).slice(0, 80)}: ${problem}`;
  });
  const more = problems.length > shown.length ? `\n  … and ${problems.length - shown.length} more` : '';
  throw new CoHarnessError(
    'invalid-gold',
    `The verifier "${config.kind}" cannot use the answer of ${problems.length} task${problems.length === 1 ? '' : 's'}:\n${shown.join('\n')}${more}\n` +
      'Correct these answers, or choose another verifier.kind (docs/verifiers.md says what each one reads).',
    {
      details: {
        file: origin.file,
        verifier: config.kind,
        tasks: problems.map(({ id, line, problem }) => ({ id, line, problem })),
      },
    },
  );
}

function goldProblemOf(config: CheckedVerifierConfig, row: TaskRow): string | null {
  switch (config.kind) {
    case 'numeric':
      return goldNumber(row.answer) === null ? 'it is not one number' : null;
    case 'answer':
      return answerGoldProblem(row.answer);
    case 'choice':
      return choiceGoldProblem(row, config.choices);
    case 'function-calls':
      return functionCallGoldProblem(row.answer);
    case 'exact':
    case 'json':
    case 'command':
    case 'judge':
      return null;
  }
}
