import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { CoHarnessError } from '../../base/errors.ts';
import { jsonLines, parseJson, readTextFile } from '../../base/json.ts';
import { type AnswerCheck, checkAnswer } from './check-answer.ts';
import { EXTRACTIONS } from './extract-answer.ts';

const OPTION_NAMES = ['question', 'extraction'] as const;

const scalarText = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const caseSchema = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  /** null: the agent gave no answer. */
  pred: scalarText.nullable(),
  gold: scalarText,
  expected: z.boolean(),
  options: z.looseObject({ question: z.string().optional(), extraction: z.enum(EXTRACTIONS).optional() }).optional(),
});

type CaseRow = z.output<typeof caseSchema>;

/** One judged line of a case file. `id`: its own, else its 1-based line number. */
export interface JudgedCase {
  readonly id: string | number;
  readonly line: number;
  readonly prediction: string | null;
  readonly gold: string;
  readonly expected: boolean;
  readonly check: AnswerCheck;
}

export interface CaseReport {
  /** In file order. */
  readonly cases: readonly JudgedCase[];
  /** Names of options that no check reads, each once. */
  readonly unknownOptions: readonly string[];
  readonly seconds: number;
}

/**
 * Checks every `{pred, gold, expected, options?}` of a JSON Lines file. Throws CoHarnessError `file-missing`, `invalid-json`, `invalid-data` naming file, line and field, and
 * `no-cases` for a file without a row.
 */
export async function verifyCases(file: string, clock: Clock): Promise<CaseReport> {
  const rows = parseRows(await readTextFile(file, 'a JSON Lines file of cases'), file);
  if (rows.length === 0) {
    throw new CoHarnessError(
      'no-cases',
      `${file} holds no case. Expected one JSON object a line: {"pred": …, "gold": …, "expected": true|false}.`,
      {
        details: { file },
      },
    );
  }
  const start = clock.now();
  const cases = rows.map(({ line, row }): JudgedCase => {
    const check = judge(row, clock);
    return { id: row.id ?? line, line, prediction: row.pred, gold: row.gold, expected: row.expected, check };
  });
  const seconds = (clock.now() - start) / 1000;
  const names = rows.flatMap(({ row }) => Object.keys(row.options ?? {}));
  const unknownOptions = [...new Set(names)].filter(
    (name) => !OPTION_NAMES.includes(name as (typeof OPTION_NAMES)[number]),
  );
  return { cases, unknownOptions, seconds };
}

function parseRows(text: string, file: string): { line: number; row: CaseRow }[] {
  return jsonLines(text, file).map(({ content, line }) => ({
    line,
    row: parseJson(caseSchema, content, { file, line }),
  }));
}

function judge({ pred, gold, options = {} }: CaseRow, clock: Clock): AnswerCheck {
  if (pred === null) return { verdict: 'different', confidence: 1, why: 'no final answer', extracted: null };
  const { question, extraction } = options;
  return checkAnswer(
    {
      prediction: pred,
      gold,
      ...(question === undefined ? {} : { question }),
      ...(extraction === undefined ? {} : { extraction }),
    },
    clock,
  );
}
