import { type Clock, systemClock } from '../../base/clock.ts';
import { errorMessage } from '../../base/errors.ts';
import type { Answer } from './answer.ts';
import { startEffort, Unreadable } from './answer-limits.ts';
import { type AnswerContext, compareAnswers } from './compare-answers.ts';
import { isTimeOrDate } from './compare-words.ts';
import { echoesQuestion } from './echo.ts';
import { infinityOf, isConstant } from './expression.ts';
import { type Extracted, type Extraction, extractAnswer } from './extract-answer.ts';
import { normalForm } from './normal-form.ts';
import { allEqual, different, equal, type Outcome, undecided } from './outcome.ts';
import { parseAnswer } from './parse-answer.ts';
import type { Algebra } from './polynomial.ts';
import { changesNumber } from './qualifying-words.ts';
import { Imprecise } from './real-interval.ts';
import { expressionsOf } from './spread-either.ts';
import { wantsPercentage } from './wants-percentage.ts';

export interface AnswerCase {
  /** A final text; what it says around the answer does not matter. */
  readonly prediction: string;
  /** One answer, nothing around it. */
  readonly gold: string;
  /** What was asked. It says whether a percentage or a base is wanted, and unmasks an answer that only repeats it. */
  readonly question?: string;
  /** Default `any`. */
  readonly extraction?: Extraction;
}

/** `extracted`: what was compared, null where the prediction holds no answer. */
export interface AnswerCheck extends Outcome {
  readonly extracted: string | null;
}

/**
 * Whether a final text gives the gold answer. Policy and examples: docs/verifiers.md. Never throws, for any text, and stays within ANSWER_LIMITS; a gold that
 * cannot be read makes every prediction but its own copy `undecided` (see goldProblem).
 */
export function checkAnswer(
  { prediction, gold, question = '', extraction = 'any' }: AnswerCase,
  clock: Clock = systemClock,
): AnswerCheck {
  if (extraction === 'any' && isPlainInteger(prediction) && isPlainInteger(gold)) {
    const outcome =
      withoutLeadingZeros(prediction) === withoutLeadingZeros(gold)
        ? equal('the same integer')
        : different('another integer');
    return { ...outcome, extracted: prediction };
  }
  const extracted = extractAnswer(prediction, extraction, isAnswer);
  if (extracted === null) return { ...different('the text gives no answer', 0.95), extracted: null };
  return { ...compareTexts(extracted, gold, question, clock), extracted: extracted.text };
}

const PLAIN_INTEGER = /^-?\d{1,40}$/;

function isPlainInteger(text: string): boolean {
  return text.length <= 41 && PLAIN_INTEGER.test(text);
}

function withoutLeadingZeros(integer: string): string {
  const digits = integer.replace(/^(-?)0+(?=\d)/, '$1');
  return digits === '-0' ? '0' : digits;
}

/** A text is the answer as a whole when it can be read and is not just words. */
function isAnswer(text: string): boolean {
  if (text.length > 4_096 || text.includes('\n\n')) return false;
  try {
    const answer = parseAnswer(text);
    if (isMixedWithWords(answer)) return false;
    return answer.kind !== 'text' || isTimeOrDate(answer.words) || !/\d|\$|\\/.test(answer.words);
  } catch (error) {
    return error instanceof Unreadable && error.reason !== 'notation';
  }
}

const CHOICE_LABEL =
  /^\s*\\(?:text|textbf|textrm|mathrm|mathbf)\s*\{\s*\(([A-Z])\)\s*[.:]?\s*\}(?:\\[ ,;:!]|\\q?quad|[\s~])*(?=[^\s.])/;
const CHOICE_LETTER = /^[\s(]*(?:\\(?:text|textbf|mathrm)\s*\{\s*\(?)?[A-Z][\s).}]*$/;

/** `\textbf{(B) } 5`: the letter of a choice in front of its value. Against a letter it is the letter, else the value. */
function withoutLabel(text: string, gold: string): string {
  const label = CHOICE_LABEL.exec(text);
  if (label === null) return text;
  return CHOICE_LETTER.test(gold) ? (label[1] as string) : text.slice(label[0].length);
}

/** "Thus, $x = 5$" and "Result: 5": words in front of an answer, read as a list or a ratio. */
function isMixedWithWords(answer: Answer): boolean {
  const parts = answer.kind === 'list' ? answer.items : answer.kind === 'ratio' ? answer.parts : [];
  return parts.some(({ kind }) => kind === 'text') && parts.some(({ kind }) => kind !== 'text');
}

function compareTexts(extracted: Extracted, gold: string, question: string, clock: Clock): Outcome {
  try {
    const effort = startEffort(clock);
    const seed = `${extracted.text}\u0000${gold}`;
    const context: AnswerContext = {
      effort,
      seed,
      asksPercentage: wantsPercentage(question),
      asksBase: baseAskedFor(question),
    };
    const golds = readingsOf(gold, question);
    const predictions = readingsOf(withoutLabel(extracted.text, gold), question, extracted.from === 'statement');
    const outcome = compareReadings(predictions, golds, context);
    if (outcome.verdict !== 'equal' || question === '') return outcome;
    const isEcho = echoesQuestion(predictions[0] as Answer, golds[0] as Answer, question);
    return isEcho ? different('it repeats a calculation of the question', 0.9) : outcome;
  } catch (error) {
    return outcomeOf(error);
  }
}

/** Whatever goes wrong in a comparison leaves it undecided: no text may end the run of whoever asks. */
function outcomeOf(error: unknown): Outcome {
  if (error instanceof Unreadable)
    return error.reason === 'undefined' ? different(error.message) : undecided(error.message);
  if (error instanceof Imprecise) return undecided('the numbers could not be told apart');
  if (error instanceof RangeError) return undecided('too large to compare');
  return undecided(`defect of the checker, please report it: ${errorMessage(error)}`);
}

/** The first readings decide; a further one (`70,110` as two numbers) may only make equal what is a list in that order on both sides. */
function compareReadings(predictions: readonly Answer[], golds: readonly Answer[], context: AnswerContext): Outcome {
  const first = compareAnswers(predictions[0] as Answer, golds[0] as Answer, context);
  if (first.verdict === 'equal' || (predictions.length === 1 && golds.length === 1)) return first;
  for (const gold of golds) {
    for (const prediction of predictions) {
      if (prediction.kind !== 'list' || gold.kind !== 'list' || prediction.items.length !== gold.items.length) continue;
      const outcome = allEqual(
        gold.items.map((item, index) => compareAnswers(prediction.items[index] as Answer, item, context)),
      );
      if (outcome.verdict === 'equal') return { ...outcome, confidence: Math.min(outcome.confidence, 0.9) };
    }
  }
  return first;
}

/** Digits in groups of three and nothing else: a number, or several. */
const MAY_BE_LIST = /^[\s$]*-?\d{1,3}(?:,\d{3})+[\s$]*$/;

/** One reading, or two for `70,110`: one number, and 70 and 110; only the second where the question asks for a list. */
function readingsOf(text: string, question: string, isClause = false): Answer[] {
  const answer = isClause ? parseClause(text) : parseAnswer(text);
  if (!MAY_BE_LIST.test(text)) return [answer];
  const list = parseAnswer(text, { commasSeparate: true });
  return /\bcommas?\b/i.test(question) ? [list] : [answer, list];
}

/** What follows "the answer is": an answer, or a number with words behind it that hold no further number. */
function parseClause(clause: string): Answer {
  let answer: Answer | null = null;
  try {
    answer = parseAnswer(clause);
  } catch (error) {
    if (!(error instanceof Unreadable) || error.reason !== 'notation') throw error;
  }
  if (answer !== null && answer.kind !== 'text') return answer;
  const leading = LEADING_NUMBER.exec(clause);
  if (leading?.[1] !== undefined && !changesNumber(clause.slice(leading[1].length))) return parseAnswer(leading[1]);
  if (answer === null) throw new Unreadable('notation', 'the statement cannot be read');
  return answer;
}

const LEADING_NUMBER =
  /^((?:-|−)?[$€£¥]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:\/\d+)?%?)(?=[\s,]+\p{L}[^\d\\$]*$)(?![\s,]+(?:or|and|to)\b)/iu;

function baseAskedFor(question: string): number | null {
  const bases = [...question.matchAll(/\bbase[- ]?\$?(\d{1,2})\b/gi)];
  const last = bases.at(-1)?.[1];
  return last === undefined ? null : Number(last);
}

/** Why a text cannot serve as a gold, null where it can: it is unreadable, has no value, is beyond the limits, or cannot be shown to equal itself. */
export function goldProblem(gold: string, clock: Clock = systemClock): string | null {
  if (isPlainInteger(gold)) return null;
  try {
    const context: AnswerContext = { effort: startEffort(clock), seed: gold, asksPercentage: false, asksBase: null };
    const answer = parseAnswer(gold);
    const algebra: Algebra = { atoms: new Map(), effort: context.effort };
    for (const expression of expressionsOf(answer)) {
      if (infinityOf(expression) === null && isConstant(expression)) normalForm(algebra, expression);
    }
    const { verdict, why } = compareAnswers(answer, answer, context);
    return verdict === 'equal' ? null : why;
  } catch (error) {
    return outcomeOf(error).why;
  }
}
