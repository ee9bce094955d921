const BASES: Readonly<Record<string, number>> = {
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  sixteen: 16,
};
const GROUP = '\\{((?:[^{}]|\\{[^{}]*\\})*)\\}';

/** Ways of writing that have one usual meaning, in order. Each runs in linear time: nothing repeats inside a repetition that it could also match. */
const REWRITES: readonly (readonly [pattern: RegExp, written: string])[] = [
  // Colour, size and emphasis say nothing.
  [/\\(?:text)?color\s*\{[A-Za-z0-9!]{1,30}\}/g, ' '],
  [
    /\\(?:tiny|scriptsize|footnotesize|small|normalsize|large|Large|LARGE|huge|Huge|boldmath|bfseries|hline)(?![A-Za-z])/g,
    ' ',
  ],
  // Plain TeX.
  [/\{([^{}]{1,200})\\over(?![A-Za-z])([^{}]{1,200})\}/g, '\\frac{$1}{$2}'],
  [/\{([^{}]{1,200})\\choose(?![A-Za-z])([^{}]{1,200})\}/g, '\\binom{$1}{$2}'],
  [/\\not\s*=/g, '\\ne '],
  [/∛\s*(\d+)/g, '\\sqrt[3]{$1}'],
  // Units.
  [/\bper cent\b/gi, 'percent'],
  [/\bUS\s?(?=\\?\$)/g, ''],
  [/(?<=\d)\s?¢/g, ' \\text{cents}'],
  [/\^\s*\\degree(?![A-Za-z])|\\degree(?![A-Za-z])/g, '^\\circ '],
  [
    /\^\s*(?:\\circ|\{\s*\\circ\s*\})\s*(?:\\(?:text|mathrm|textrm|mbox)\s*\{\s*C\s*\}|C(?![A-Za-z]))/g,
    ' \\text{degrees celsius}',
  ],
  [
    /\^\s*(?:\\circ|\{\s*\\circ\s*\})\s*(?:\\(?:text|mathrm|textrm|mbox)\s*\{\s*F\s*\}|F(?![A-Za-z]))/g,
    ' \\text{degrees fahrenheit}',
  ],
  [/\bsq\.?\s(?=[a-z]{2})/g, 'square '],
  [/\bcu\.?\s(?=[a-z]{2})/g, 'cubic '],
  // `1.5 x 10^3`.
  [/(?<=\d\s?)x(?=\s?10\s?(?:\^|\*\*))/g, '\\times '],
  // Sets and matrices.
  [/\\(setminus|backslash)\s*\{([^{}]{1,200})\}/g, '\\setminus \\{$2\\}'],
  [/\\begin\s*\{array\}\s*\{[lcr|\s]{0,60}\}/g, '\\begin{matrix}'],
  [/\\end\s*\{array\}/g, '\\end{matrix}'],
  [/(?:\\left\s*)?[([]\s*\\begin\s*\{(?:small)?matrix\}/g, '\\begin{pmatrix}'],
  [/\\end\s*\{(?:small)?matrix\}\s*(?:\\right\s*)?[)\]]/g, '\\end{pmatrix}'],
  [/\\\\\s?\[-?\d*\.?\d+\s?(?:pt|em|ex|mm|cm|in)\]/g, '\\\\ '],
  // Bases.
  [/_\s*\{\s*\(\s*(\d{1,2})\s*\)\s*\}/g, '_{$1}'],
  [/\\(?:text|mathrm)\s*\{([0-9A-Z]{1,60})\}\s*_/g, '$1_'],
];
const NAMED_BASE = /_\s*\{\s*(?:\\(?:text|mathrm)\s*\{)?\s*([a-z]{3,7})\s*\}?\s*\}/g;
const EMPHASIS = new RegExp(`\\\\(?:underline|fbox)\\s*${GROUP}`, 'g');
const NOTHING_TO_REWRITE = /^[\d\s.,+\-*/()^=]*$/;

/** LaTeX in the spelling that the tokeniser reads, for a text after normaliseText. Its meaning stays; what is not known here stays as it is. Linear. */
export function rewriteNotation(text: string): string {
  if (NOTHING_TO_REWRITE.test(text)) return text;
  let rewritten = text.replace(NAMED_BASE, (whole, name: string) =>
    Object.hasOwn(BASES, name) ? `_{${BASES[name]}}` : whole,
  );
  for (const [pattern, written] of REWRITES) rewritten = rewritten.replace(pattern, written);
  return rewritten.replace(EMPHASIS, '{$1}');
}
