import { different, equal, type Outcome } from './outcome.ts';

const MONTHS = 'january february march april may june july august september october november december'.split(' ');

/** Words, without regard to case, spacing, \text, brackets around the whole, articles; times of day and dates by what they say. */
export function compareWords(prediction: string, gold: string): Outcome {
  const [left, right] = [canonical(prediction), canonical(gold)];
  if (left === '' || right === '') return different('no words');
  if (left === right) return equal('the same words', 0.99);
  return different('other words');
}

export function isTimeOrDate(words: string): boolean {
  return /^(?:time|date) /.test(canonical(words));
}

function canonical(text: string): string {
  const words = text
    .normalize('NFC')
    .replace(/\\(?:text|mbox|mathrm|textbf|textrm)\s*\{([^{}]*)\}/g, '$1')
    .replace(/\\[,;:! ]|[$~]/g, ' ')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^[("'[]+|[)"'\].,;:!]+$/g, '')
    .replace(/^(?:the|a|an) /, '');
  return timeOfDay(words) ?? date(words) ?? words;
}

function timeOfDay(words: string): string | null {
  const match = /^(\d{1,2})(?::(\d\d))?\s*([ap])\.?\s?m\.?$/.exec(words);
  return match === null ? null : `time ${Number(match[1])}:${match[2] ?? '00'} ${match[3]}`;
}

/** `June 20`, `20 June`, `June 20th, 2004`. */
function date(words: string): string | null {
  const parts = words
    .replace(/[.,]/g, ' ')
    .replace(/(\d)(?:st|nd|rd|th)\b/g, '$1')
    .split(/\s+/);
  const month = parts.findIndex((part) => MONTHS.includes(part));
  if (month < 0 || month > 1 || parts.length < 2 || parts.length > 3) return null;
  const numbers = parts.filter((_, index) => index !== month);
  return numbers.every((part) => /^\d{1,4}$/.test(part)) ? `date ${parts[month]} ${numbers.join(' ')}` : null;
}
