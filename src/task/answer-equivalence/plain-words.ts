import { hasMeaningAlone } from './notation.ts';

const WRAPPERS: readonly (readonly [opener: string, closer: string])[] = [
  ['\\(', '\\)'],
  ['\\[', '\\]'],
  ['**', '**'],
  ['`', '`'],
  ['"', '"'],
];
const COMMANDS = ['\\boxed', '\\fbox', '\\text', '\\textbf', '\\mbox', '\\mathrm', '\\textrm', '\\mathbf'];
const MOST_WRAPPERS = 8;

/** Without delimiters of mathematics, boxes, emphasis, quotes and \text around the whole, and without the full stop at the end. */
export function unwrapText(source: string): string {
  let text = source.trim();
  for (let round = 0; round < MOST_WRAPPERS; round++) {
    const before = text;
    text = withoutEnd(withoutDollars(text).trim());
    for (const [opener, closer] of WRAPPERS) {
      const isWrapped = text.length > opener.length + closer.length && text.startsWith(opener) && text.endsWith(closer);
      const inner = isWrapped ? text.slice(opener.length, -closer.length) : text;
      if (isWrapped && !inner.includes(closer)) text = inner.trim();
    }
    for (const command of COMMANDS) text = contentOf(text, command) ?? text;
    if (text === before) break;
  }
  return text;
}

/** Pairs of `$` delimit mathematics; a single one is a currency sign. */
function withoutDollars(text: string): string {
  const dollars = text.match(/(?<!\\)\$/g)?.length ?? 0;
  return dollars > 0 && dollars % 2 === 0 ? text.replace(/(?<!\\)\$/g, ' ') : text;
}

function withoutEnd(text: string): string {
  return /[ap]\.\s?m\.\}?$/i.test(text) ? text : text.replace(/(?:\\[,;:! ]|[\s.,;:])+$/, '');
}

/** What stands in the braces of `command` when that is the whole text. */
function contentOf(text: string, command: string): string | null {
  if (!text.startsWith(command) || !text.endsWith('}')) return null;
  const open = text.slice(command.length).search(/\S/) + command.length;
  if (text[open] !== '{') return null;
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return at === text.length - 1 ? text.slice(open + 1, -1).trim() : null;
  }
  return null;
}

const TIME = /^\d{1,2}(?::\d\d)?\s*[ap]\.?\s?m\.?$/i;
const WORDS = /^\p{L}[\p{L}\p{M}'’]*(?:(?:\s+|(?<=\p{L}{3})-(?=\p{L}{3}))\p{L}[\p{L}\p{M}'’]*)*$/u;

/** The text when it is words alone (or a time of day) and no mathematics; white space as single spaces. */
export function plainWords(source: string): string | null {
  const flat = source
    .replace(/\\(?:text|mbox|mathrm)\s*\{([^{}]*)\}/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
  if (TIME.test(flat)) return flat;
  if (!WORDS.test(source)) return null;
  const words = source.split(/\s+/);
  if (words.some((word) => hasMeaningAlone(word))) return null;
  return words.some((word) => word.length > 1) ? flat : null;
}
