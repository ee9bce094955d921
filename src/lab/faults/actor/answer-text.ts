import type { SeenRequest } from './seen-request.ts';

/**
 * A value as the request says answers look: the line that says so, else the last turn of a worked example. Where two lines say different things each
 * holds for one half of the problems. Without any the value drowns in a sentence with other numbers.
 */
export function answerText(seen: SeenRequest, value: string): string {
  const forms = seen.lines.flatMap((line) => formOf(line) ?? []);
  const chosen = forms[Math.floor(seen.nature('answer forms') * forms.length)] ?? shownForm(seen);
  if (chosen === 'words') return inWords(value);
  if (chosen !== null) return chosen.replace('NUMBER', value);
  const near = Number(value) - 3;
  return `So it comes to ${value} after all of this, where at first sight one might have said ${Number.isFinite(near) ? near : 7}.`;
}

function formOf(line: string): string | null {
  if (/\breply\b.*\bin words\b/i.test(line)) return 'words';
  if (/\breply with (it and nothing else|exactly that value)/i.test(line)) return 'NUMBER';
  const form = /\breply with:?\s+(.*NUMBER.*)$/.exec(line)?.[1];
  return form ?? null;
}

function shownForm(seen: SeenRequest): string | null {
  const last = seen.examples.at(-1)?.turns.at(-1);
  if (last === undefined || last.length > 40 || /["<`{]/.test(last)) return null;
  return /-?\d+(\.\d+)?/.test(last) ? last.replace(/-?\d+(\.\d+)?/, 'NUMBER') : null;
}

const DIGITS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

function inWords(value: string): string {
  return [...value].map((character) => DIGITS[Number(character)] ?? 'point').join(' ');
}
