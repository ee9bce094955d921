import { contentHash } from '../base/content-hash.ts';
import { extractAnswer, outsideThinking } from './answer-equivalence/extract-answer.ts';
import type { Task } from './task.ts';
import type { Verdict, Verifier } from './verifier.ts';

const CODE_VERSION = 1;

export interface ChoiceOptions {
  /** How many choices a task has, 2 to 26: A to the letter of that number. A task's `fields.choices` (a list of texts) says it for that task. */
  choices: number;
}

/**
 * Scores 1 when the final text chooses the task's letter, or all its letters and no other, else 0. `task.answer` is a letter (`"C"`, `"(C)"`) or several
 * (`"A, D"`). Read are, in this order: the last `\boxed`, the last "answer is …", a text that is only the choice, "option C" or "(C)" where no other is named. The text of
 * a choice counts as its letter where `fields.choices` lists it. `unscored` only when the gold names no choice.
 */
export function choiceVerifier({ choices }: ChoiceOptions): Verifier {
  return {
    version: contentHash({ kind: 'choice', choices, code: CODE_VERSION }),
    verify: async (task, answer) => judge(task, answer, choices),
  };
}

function judge(task: Task, answer: string | null, choices: number): Verdict {
  const menu = menuOf(task, choices);
  const gold = typeof task.answer === 'string' ? chosenIn(task.answer, menu) : null;
  if (gold === null)
    return { kind: 'unscored', why: `the answer of task ${task.id} names no choice: ${JSON.stringify(task.answer)}` };
  if (answer === null) return { kind: 'scored', score: 0, extracted: null, why: 'no final answer' };
  const chosen = chosenBy(answer, menu);
  if (chosen === null) return { kind: 'scored', score: 0, extracted: null, why: 'the final answer names no choice' };
  const isCorrect = chosen === gold;
  return {
    kind: 'scored',
    score: isCorrect ? 1 : 0,
    extracted: chosen,
    why: isCorrect ? `chooses ${gold}` : `${chosen} is not ${gold}`,
  };
}

/** Why a gold names no choice, null where it does. */
export function choiceGoldProblem({ answer, fields }: Pick<Task, 'answer' | 'fields'>, choices: number): string | null {
  const menu = menuOf({ fields }, choices);
  const isChoice = typeof answer === 'string' && chosenIn(answer, menu) !== null;
  return isChoice ? null : `expected letters from A to ${menu.letters.at(-1)}`;
}

interface Menu {
  readonly letters: string;
  /** Texts of the choices in their order, lower case; empty where they are not known. */
  readonly texts: readonly string[];
}

function menuOf({ fields }: Pick<Task, 'fields'>, choices: number): Menu {
  const listed = fields?.choices;
  const texts = Array.isArray(listed) && listed.every((text) => typeof text === 'string') ? listed : [];
  const count = texts.length > 0 ? texts.length : choices;
  return {
    letters: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.slice(0, count),
    texts: texts.map((text) => plain(text).toLowerCase()),
  };
}

function chosenBy(answer: string, menu: Menu): string | null {
  const visible = outsideThinking(answer);
  if (visible === null) return null;
  const extracted = extractAnswer(visible, 'any', (text) => chosenIn(text, menu) !== null);
  if (extracted?.from === 'statement') return chosenIn(extracted.text, menu) ?? leadingLetter(extracted.text, menu);
  if (extracted?.from === 'box' || extracted?.from === 'whole') return chosenIn(extracted.text, menu);
  // A box or a statement that gives nothing is not made good by a mention elsewhere.
  return /\\f?box|####|\banswer\b/i.test(visible) ? null : onlyMention(visible, menu);
}

function plain(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\\(?:text|textbf|mathrm|mathbf|mbox)\s*\{([^{}]*)\}/g, '$1')
    .replace(/[$*`]|\\[()[\],;:! ]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The letters of a text that is nothing but a choice or several, sorted and joined by commas; null for other texts. */
function chosenIn(text: string, menu: Menu): string | null {
  const words = plain(text).replace(/[.,;]$/, '');
  const byText = menu.texts.indexOf(words.toLowerCase());
  if (byText >= 0) return menu.letters[byText] as string;
  const labelled = /^\(?([A-Za-z])(?:\)|[.:])\s*\S/.exec(words)?.[1];
  if (labelled !== undefined && !/^\(?[A-Za-z][).:]?(?:\s*(?:,|;|and|&)\s*\(?[A-Za-z][).:]?)+$/.test(words))
    return known([labelled], menu);
  const parts = words.split(/\s*(?:,|;|&|\band\b)\s*/).filter((part) => part !== '');
  const letters = parts.map((part) => /^(?:option |choice )?\(?([A-Za-z])[).:]?$/i.exec(part)?.[1]);
  return letters.length === 0 || letters.includes(undefined) ? null : known(letters as string[], menu);
}

function known(letters: readonly string[], menu: Menu): string | null {
  const upper = [...new Set(letters.map((letter) => letter.toUpperCase()))].sort();
  return upper.every((letter) => menu.letters.includes(letter)) ? upper.join(',') : null;
}

/** `C because …`, `C, since …`: a capital with a reason behind it. */
function leadingLetter(clause: string, menu: Menu): string | null {
  const letter = /^(?:option |choice )?\(?([A-Z])\)?[,:;]?\s+(?:because|since|as|for|which|due)\b/i.exec(
    plain(clause),
  )?.[1];
  return letter === undefined || letter !== letter.toUpperCase() ? null : known([letter], menu);
}

/** The one letter that is named anywhere, unless something is denied. */
function onlyMention(answer: string, menu: Menu): string | null {
  if (/\b(?:not|never|neither|except|wrong|incorrect)\b|n['’]t\b/i.test(answer)) return null;
  const mentions = [...plain(answer.slice(-20_000)).matchAll(/\b(?:option|choice)\s+\(?([A-Z])\b|\(([A-Z])\)/g)].map(
    (match) => (match[1] ?? match[2]) as string,
  );
  return new Set(mentions).size === 1 ? known(mentions, menu) : null;
}
