import { z } from 'zod';
import { checkSchema, type TextOrigin } from '../../base/json.ts';
import { lastBox } from '../answer-equivalence/extract-answer.ts';

/** What becomes of a published row, besides id, source and date. */
export interface ReadRow {
  problem: string;
  /** As a verifier reads it: nothing around it. */
  answer: string;
  /** Further fields that are kept beside the task, e.g. `level`. */
  [extra: string]: unknown;
}

/** Reads one row. Throws CoHarnessError `invalid-data` that names file, line and field. */
export type PublishedRow = (row: unknown, origin: TextOrigin) => ReadRow;

const text = z.string().trim().min(1);
const scalar = z.union([text, z.number()]).transform(String);

/** Rows that are tasks already: a copy that was turned into the standard form keeps its answer as it is. */
const taskForm = z.looseObject({ problem: text, answer: scalar });

const worksheetForm = z.object({
  question: text,
  answer: z.string().regex(/####\s*\S/, 'expected a worked solution that ends with #### and the answer'),
});

/** GSM8K: `question`, and `answer` with the worked solution before `####`. Calculator marks stay in `solution`. */
export const worksheetRow: PublishedRow = (row, origin) => {
  if (!hasField(row, 'question')) return asTask(row, origin);
  const { question, answer } = checkSchema(worksheetForm, row, origin);
  const at = answer.lastIndexOf('####');
  return {
    problem: question,
    answer: answer
      .slice(at + 4)
      .trim()
      .replaceAll(',', ''),
    solution: answer.slice(0, at).trim(),
  };
};

const schoolForm = z.object({ Body: text, Question: text, Answer: z.number(), Equation: text, Type: text });

/** SVAMP: the text in two parts, the answer a number. */
export const schoolRow: PublishedRow = (row, origin) => {
  if (!hasField(row, 'Body')) return asTask(row, origin);
  const { Body, Question, Answer, Equation, Type } = checkSchema(schoolForm, row, origin);
  return { problem: `${Body} ${Question}`, answer: String(Answer), equation: Equation, type: Type };
};

const solvedForm = z.looseObject({
  problem: text,
  solution: text,
  answer: scalar.optional(),
  level: scalar.optional(),
  type: text.optional(),
  subject: text.optional(),
});

/** MATH: the answer is the last box of the solution, unless the copy says it beside it. */
export const solvedRow: PublishedRow = (row, origin) => {
  if (!hasField(row, 'solution')) return asTask(row, origin);
  const { problem, solution, answer, level, type, subject } = checkSchema(solvedForm, row, origin);
  const kind = type ?? subject;
  const boxed = { answer: answer ?? lastBox(solution) };
  return {
    problem,
    ...checkSchema(
      z.object({ answer: z.string('expected an answer, or a solution with a \\boxed one') }),
      boxed,
      origin,
    ),
    ...(level === undefined ? {} : { level }),
    ...(kind === undefined ? {} : { type: kind }),
  };
};

const contestForm = z.looseObject({ problem: text, answer: scalar.transform(bareAnswer) });

/** A contest problem with its answer, `question` in the place of `problem` in some copies. */
export const contestRow: PublishedRow = (row, origin) => {
  const named = hasField(row, 'question') && !hasField(row, 'problem') ? { ...row, problem: row.question } : row;
  const { problem, answer } = checkSchema(contestForm, named, origin);
  return { problem, answer };
};

const integerAnswer = z.object({
  answer: z
    .string()
    .regex(/^\d{1,3}$/, 'expected a whole number from 0 to 999')
    .transform((digits) => String(Number(digits))),
});

/** The AIME: answers are whole numbers from 0 to 999, in some copies with leading zeros, as a box, or in degrees. */
export const integerContestRow: PublishedRow = (row, origin) => {
  const solved = hasField(row, 'answer') || !hasField(row, 'solution') ? row : { ...row, answer: row.solution };
  const { problem, answer } = contestRow(solved, origin);
  return {
    problem,
    ...checkSchema(integerAnswer, { answer: answer.replace(/\s*(\^\\circ|\^\{\\circ\}|°)$/, '') }, origin),
  };
};

function asTask(row: unknown, origin: TextOrigin): ReadRow {
  return checkSchema(taskForm, row, origin);
}

/** `$…$` and a box around the whole answer say nothing. */
function bareAnswer(answer: string): string {
  const inner = /^\$([^$]+)\$$/.exec(answer)?.[1]?.trim() ?? answer;
  return /^\\boxed/.test(inner) ? (lastBox(inner) ?? inner) : inner;
}

function hasField<Name extends string>(row: unknown, name: Name): row is Record<Name, unknown> {
  return typeof row === 'object' && row !== null && name in row;
}
