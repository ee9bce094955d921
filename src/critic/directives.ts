/** One instruction of a prompt. */
export interface Directive {
  path: string;
  sentence: string;
  isNegative: boolean;
  /** Content words, stemmed, without the words that carry the polarity. */
  words: ReadonlySet<string>;
}

const NEGATION =
  /\b(never|not|don['’]?t|doesn['’]?t|shouldn['’]?t|mustn['’]?t|won['’]?t|can['’]?t|cannot|avoid|without|forbidden|prohibited|refrain|refuse|no longer|neither|nor|stop|skip|omit|no|none|disregard|ignore)\b/i;
const MODAL =
  /\b(always|never|must|should|shall|only|do not|don['’]?t|avoid|ensure|make sure|required?|forbidden|have to|need to|at most|at least|exactly|before|after|instead|if|when|whenever|every|any|all|no|not)\b/i;

const STOP_WORDS = new Set(
  (
    'a an the this that these those it its you your we our they their i me my he she of to in on at for from by with as and or but so than ' +
    'then is are was were be been being do does did doing have has had will would can could may might must should shall always never not ' +
    'no none only just also any all each every some more most please ensure make sure need needs required require avoid without if when ' +
    'whenever there here what which who how very own same such don t doesn won isn about into over up out again unless until while ' +
    'forbidden prohibited refrain refuse stop skip omit longer neither nor disregard ignore cannot'
  ).split(' '),
);

/** Sentences and list items of a text, without template fields and code. */
export function sentencesOf(text: string): string[] {
  return text
    .replace(/```[\s\S]*?(```|$)/g, ' ')
    .split(/\n+|(?<=[.!?;])\s+(?=[A-Z"'(*-])/)
    .map((sentence) => sentence.replace(/^[\s>*#\d.)-]+/, '').trim())
    .filter((sentence) => sentence.length > 0);
}

/** Instructions of a text: sentences that command, in order. */
export function directivesOf(path: string, text: string): Directive[] {
  return sentencesOf(text).flatMap((sentence) => {
    const words = contentWords(sentence);
    if (words.size === 0 || words.size > 40 || !isCommand(sentence)) return [];
    return [{ path, sentence, isNegative: NEGATION.test(sentence), words }];
  });
}

function isCommand(sentence: string): boolean {
  return MODAL.test(sentence) || /^[A-Z]?[a-z]+\b/.test(sentence);
}

/** Words that carry the meaning of a sentence, roughly stemmed. */
export function contentWords(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return new Set(words.filter((word) => word.length > 1 && !STOP_WORDS.has(word)).map(stem));
}

function stem(word: string): string {
  if (word.length > 5 && word.endsWith('ing')) return word.slice(0, -3);
  if (word.length > 4 && word.endsWith('ed')) return word.slice(0, -2);
  if (word.length > 4 && word.endsWith('es')) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1);
  return word;
}

/** Share of the smaller set that the larger one holds, in [0, 1]; 0 for empty sets. */
export function containment(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const smaller = Math.min(left.size, right.size);
  if (smaller === 0) return 0;
  return [...left].filter((word) => right.has(word)).length / smaller;
}

/** Words in both over words in either, in [0, 1]. */
export function jaccard(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const both = [...left].filter((word) => right.has(word)).length;
  const either = left.size + right.size - both;
  return either === 0 ? 0 : both / either;
}
