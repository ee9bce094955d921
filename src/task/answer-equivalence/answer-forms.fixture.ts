/** Other ways to write a gold, and wrong answers near it. Made from the text alone, not with the parser under test. */

export interface Form {
  readonly kind: string;
  readonly text: string;
}

/** Rewritten forms of one and the same answer; only those that change the text. */
export function rewritten(gold: string): Form[] {
  const forms: Form[] = [
    { kind: 'dfrac', text: gold.replace(/\\[tc]?frac(?=[^a-z])/g, '\\dfrac') },
    { kind: 'slash', text: slashed(gold) },
    { kind: 'left-right', text: sized(gold) },
    {
      kind: 'spacing',
      text: gold.replace(/(?<=[\d}a-z)])\s*([+-])\s*(?=[\\\da-z(])/g, ' $1 ').replace(/^\s*|\s*$/g, ' '),
    },
    { kind: 'thin-space', text: gold.replace(/(?<=[a-z\d}]) ?\+ ?/g, '\\,+\\;') },
    { kind: 'boxed', text: `Adding up, we find that the result is $\\boxed{${gold}}$. That is all 7 of them.` },
    { kind: 'stated', text: `After 3 steps we are done. The answer is $${gold}$.` },
    { kind: 'display', text: `\\[ ${gold} \\]` },
    { kind: 'text', text: /^[\w ]+$/.test(gold) ? `\\text{${gold}}` : gold },
    { kind: 'unicode', text: unicode(gold) },
    { kind: 'reordered', text: reordered(gold) },
    { kind: 'bmatrix', text: gold.replaceAll('pmatrix', 'bmatrix') },
    {
      kind: 'label',
      text:
        /^[-\d\\(]/.test(gold) && !/[=<:]|\\text|_|\\cup|\\begin|\\mbox/.test(gold) && !/,(?!\\!)/.test(gold)
          ? `z_9 = ${gold}`
          : gold,
    },
    { kind: 'no-groups', text: gold.replace(/(?<=\d)(?:,\s*\\!\s*|\{,\})(?=\d)/g, '') },
  ];
  return forms.filter(({ text }) => text !== gold);
}

function slashed(gold: string): string {
  return gold.replace(/(?<!\d\s*)\\[dtc]?frac\{(\d+)\}\{(\d+)\}(?=$|[\s,)\]&-])/g, '$1/$2');
}

function sized(gold: string): string {
  return /\\left|\\\{/.test(gold)
    ? gold.replace(/\\left|\\right/g, '')
    : gold.replace(/\(/g, '\\left( ').replace(/\)/g, ' \\right)');
}

function unicode(gold: string): string {
  return gold
    .replace(/-/g, '\u2212')
    .replace(/\\pi(?![a-z])/g, 'π')
    .replace(/\\infty/g, '∞')
    .replace(/\s*\\cup\s*/g, ' ∪ ')
    .replace(/\^\{?\\circ\}?/g, '°')
    .replace(/(?<=[a-z])\^2(?!\d)/g, '²');
}

/** Items of a list, or the terms of a sum, last first. */
function reordered(gold: string): string {
  if (/^[^()[\]\\{}=<]*,[^()[\]\\{}=<]*$/.test(gold) && !/\d,\d{3}/.test(gold))
    return gold.split(',').toReversed().join(', ');
  if (!/^[\w\s+^{}-]+$/.test(gold) || !/[+-]/.test(gold.slice(1))) return gold;
  const terms = gold.replace(/\s/g, '').match(/[+-]?[^+-]+/g) ?? [];
  const last = terms.toReversed().map((term) => (/^[+-]/.test(term) ? term : `+${term}`));
  return last.join(' ').replace(/^\+/, '');
}

const SWAPS: readonly (readonly [string, string])[] = [
  ['Monday', 'Tuesday'],
  ['even', 'odd'],
  ['odd', 'even'],
];

/** Wrong answers: one number one larger, another sign, another bracket, one item less or more, another letter or word. */
export function perturbed(gold: string): Form[] {
  const forms: Form[] = [];
  for (const match of gold.matchAll(/(?<![\d.])\d+/g)) {
    const text = gold.slice(0, match.index) + otherDigits(match[0], gold) + gold.slice(match.index + match[0].length);
    if (!isImproperMixed(text)) forms.push({ kind: 'number', text });
  }
  forms.push({ kind: 'sign', text: negated(gold) });
  if (/^\\?(?:left)?[([].*,.*[)\]]$/.test(gold) && !/cup/.test(gold))
    forms.push({ kind: 'bracket', text: otherBracket(gold) });
  if (/^-?\d+(?:, ?-?\d+)+$/.test(gold) && !/\d,\d{3}/.test(gold))
    forms.push({ kind: 'item-less', text: gold.replace(/,[^,]*$/, '') });
  if (!/[=<_]/.test(gold)) forms.push({ kind: 'item-more', text: `${gold.replace(/\\?\.?$/, '')}, 987` });
  for (const match of gold
    .replace(/^x \\in|\\[a-zA-Z]+/g, (command) => '\\'.repeat(command.length))
    .matchAll(/(?<![a-zA-Z])[a-df-hj-zA-Z](?![a-zA-Z])/g)) {
    forms.push({ kind: 'letter', text: `${gold.slice(0, match.index)}w${gold.slice(match.index + 1)}` });
  }
  const word = /\\(?:text|mbox)\{\(?([A-Za-z]+)\)?\}/.exec(gold);
  if (word !== null && !/\d/.test(gold))
    forms.push({
      kind: 'word',
      text: gold.replace(word[1] as string, SWAPS.find(([from]) => from === word[1])?.[1] ?? 'Zed'),
    });
  return forms.filter(({ text }) => text !== gold);
}

/** One more; for decimals the first digit, so that the change is beyond the tolerance; in a base one more digit, which every base has. */
function otherDigits(digits: string, gold: string): string {
  if (gold.includes('_')) return `${digits}1`;
  if (/\d\.\d/.test(gold)) return `${digits.startsWith('9') ? 8 : Number(digits[0]) + 1}${digits.slice(1)}`;
  if (digits.endsWith('9')) return `${digits.slice(0, -1)}8`;
  return String(BigInt(digits) + 1n).padStart(digits.length, '0');
}

/** `6\frac{4}{4}` has two readings. */
function isImproperMixed(text: string): boolean {
  const fraction = /\d\s*\\frac\{?(\d+)\}?\{?(\d+)/.exec(text);
  return fraction !== null && Number(fraction[1]) >= Number(fraction[2]);
}

function negated(gold: string): string {
  if (/\\text\{|\\mbox\{(?!\s)|^[A-Za-z, ]+$|[=<:|]|^0$|\\pm|\\in |^\\\(|\\circ|^0/.test(gold)) return gold;
  return gold.startsWith('-')
    ? gold.slice(1)
    : /^[\d.a-zA-Z\\$]/.test(gold) && !/^\\left|^\\begin|^\\\{|^\\\$/.test(gold)
      ? `-${gold}`
      : gold;
}

function otherBracket(gold: string): string {
  const last = gold.at(-1) as string;
  return gold.slice(0, -1) + (last === ')' ? ']' : ')');
}
