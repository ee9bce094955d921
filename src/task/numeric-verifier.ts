import { contentHash } from '../base/content-hash.ts';
import { isSameRational, multiply, type Rational, rational } from '../base/rational.ts';
import { isWithin, normaliseNumberText, numbersIn, type WrittenNumber } from './number-text.ts';
import { statedNumber } from './stated-number.ts';
import type { Task } from './task.ts';
import type { Verdict, Verifier } from './verifier.ts';

/** Raise it whenever a verdict could change: it is part of `version`. */
const CODE_VERSION = 1;

/** 1 / relative tolerance for golds that are no integers. */
const TOLERANCE_PARTS = 10_000n;

/**
 * Scores 1 when the number that the final text states equals the task's answer, else 0. `task.answer` is a number or
 * its text ("1,250", "3/4", "12%", "$5.50").
 *
 * Integer gold: exact equality of value (12 = 12.0 = 24/2). Other golds: relative difference ≤ 1e-4, exact arithmetic.
 * A percentage p% is p/100; it also counts as p where the problem's question asks for a percentage, and so does the
 * gold. Units and currency signs are ignored; number words are not read.
 *
 * `unscored` only when the gold is not a number: a defect of the task, never of the answer. Policy and examples:
 * docs/verifiers.md.
 */
export function numericVerifier(): Verifier {
  return {
    version: contentHash({ kind: 'numeric', code: CODE_VERSION }),
    verify: async (task, answer) => judge(task, answer),
  };
}

function judge(task: Task, answer: string | null): Verdict {
  const gold = goldNumber(task.answer);
  if (gold === null) {
    return { kind: 'unscored', why: `the answer of task ${task.id} is not a number: ${JSON.stringify(task.answer)}` };
  }
  if (answer === null) return { kind: 'scored', score: 0, extracted: null, why: 'no final answer' };
  const stated = statedNumber(answer);
  if (stated === null) return { kind: 'scored', score: 0, extracted: null, why: 'the final answer holds no number' };
  const asksPercent = asksForPercentage(task.problem);
  const isCorrect = readings(stated, asksPercent).some((value) =>
    readings(gold, asksPercent).some((expected) => isSame(value, expected)),
  );
  const why = isCorrect ? `equals ${gold.text}` : `${stated.text} is not ${gold.text}`;
  return { kind: 'scored', score: isCorrect ? 1 : 0, extracted: stated.text, why };
}

/** The one number that the whole gold is, or null. */
export function goldNumber(answer: Task['answer']): WrittenNumber | null {
  if (typeof answer !== 'number' && typeof answer !== 'string') return null;
  const numbers = numbersIn(normaliseNumberText(String(answer)));
  return numbers.length === 1 ? (numbers[0] as WrittenNumber) : null;
}

function isSame(value: Rational, gold: Rational): boolean {
  return gold.denominator === 1n ? isSameRational(value, gold) : isWithin(value, gold, TOLERANCE_PARTS);
}

function readings({ value, percent }: WrittenNumber, asksPercent: boolean): Rational[] {
  return percent && asksPercent ? [value, multiply(value, rational(100n))] : [value];
}

/** The last question of the problem names a percentage. */
function asksForPercentage(problem: string): boolean {
  const question = problem.split(/(?<=[.?!])\s+/u).findLast((sentence) => sentence.includes('?')) ?? problem;
  return /\bwhat (?:is the )?percent|\bpercentage\b|\b(?:how many|as a|in) per ?cent\b|\bwhat per ?cent/iu.test(
    question,
  );
}
