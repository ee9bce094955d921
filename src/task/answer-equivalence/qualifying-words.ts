/** In front of a number or formula these words make it one of several, a bound, or a part of a calculation. */
const HEDGE =
  /\b(?:or|and|to|through|nor|not|than|between|isn't|least|most|minus|negative|plus|times|twice|thrice|double|(?:half|root|square|cube|reciprocal|inverse|opposite|multiples?|factorial|power|logarithm|percent|double|triple|out) of|\d\s+(?:in|of|per|over|by))$/i;

/** `cannot be`, `isn't`, `never`, `except`, at the end of what stands in front of a value. */
const DENIAL =
  /(?:\b(?:not|cannot|never|neither|except|excluding|without|besides|anything but|other than)|n['’]t)(?:\s+(?:be|been|being|equal|equals|to|exactly|just|simply|really|actually|possibly|ever|always|for|is)){0,3}$/i;

/** Relations that leave the value open. */
const BOUND = /(?:\\not\s*=|\\n?eq?|\\[lg]eq?(?:slant)?|!=|[≠<>≤≥])$/;

/** `if the answer is`, `I do not think that the answer is`: what follows is not said to be so. `I would say` and `without a doubt` say so. */
const SUPPOSITION =
  /(?:\b(?:if|whether|unless|suppose|supposing|assume|assuming|imagine|pretend|deny)|(?<!\b(?:no|of|a|any|without|beyond)\s)\bdoubt|(?:^|[.;:!?,(]\s*|\b(?:let us|let['’]?s|or|and|but|(?:if|when|suppose)\s+\w+)\s+)say|(?:\bnot|\bcannot|\bnever|n['’]t)\s+(?:think|believe|say|claim|mean|guess|suppose|see (?:why|how)|true|sure|certain|clear))(?:,?\s+(?:that|whether|if|the|my|this|our|your|its|final|correct|right|true))*$/i;

/** Behind a number these words make another value of it; `5 times a day` is a count. */
const CHANGE =
  /^[\s,]*(?:(?:squared|cubed|factorial|half|halves|thirds|fourths|fifths|sixths|sevenths|eighths|ninths|tens|tenths|hundredths|thousandths|(?:hundred|thousand|million|billion|trillion)s?|dozens?|lakhs?|crores?|below|above|plus|minus|times(?!\s*(?:$|[.;:!?)*]|(?:per|each|every|in|during|before|until|altogether)\b|a (?:day|week|month|year)\b))|divided|mod|modulo|remainder|point|over|to the power|per ?cent)\b|(?:and )?(?:a|one|three) (?:half|third|quarter)s?\b|(?:more|less|fewer) than\s+\$?[b-hj-z]\b)/i;

/** Behind a value: it is said to be wrong. A reason names something else (`5 since the other root is not positive`). */
const REFUSAL =
  /^(?:[\s,(*$]*(?:wrong|incorrect|false|never|impossible|cannot)\b|(?:(?!\b(?:since|because|whereas)\b)[^.;!?\n]){0,80}?(?:\b(?:is|are|was|were|be|seems?|looks?)\s+(?:\p{L}+\s+){0,2}?(?:wrong|incorrect|false|impossible|not)\b|\b(?:isn|wasn|aren|can)['’]t\b|\bcannot be\b)|\s*\?\s*(?:no|not|wrong|nope)\b)/iu;

/** Whether `before`, the text in front of a value, takes it back or makes it one part of an answer. */
export function isHedged(before: string): boolean {
  const text = before.trimEnd();
  return HEDGE.test(text) || DENIAL.test(text) || BOUND.test(text);
}

/** Whether `before`, the text in front of "answer is", only supposes or doubts what follows. */
export function isSupposed(before: string): boolean {
  return SUPPOSITION.test(before.trimEnd());
}

/** Whether `after`, the text behind a number, makes another number of it: `5 million`, `5 squared`, `5 tenths`. */
export function changesNumber(after: string): boolean {
  return CHANGE.test(after);
}

/** Whether `after`, the text behind a value, says that it is wrong: `5 is wrong`. Reads to the end of the sentence. */
export function isRefused(after: string): boolean {
  return REFUSAL.test(after);
}
