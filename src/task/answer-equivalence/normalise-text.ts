import { Unreadable } from './answer-limits.ts';

const SUPERSCRIPTS: Readonly<Record<string, string | undefined>> = Object.fromEntries(
  [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ'].map((sign, index) => [sign, '0123456789+-n'[index]]),
);
const SUBSCRIPTS: Readonly<Record<string, string | undefined>> = Object.fromEntries(
  [...'₀₁₂₃₄₅₆₇₈₉'].map((sign, index) => [sign, '0123456789'[index]]),
);

const FRACTIONS: Readonly<Record<string, string>> = {
  '½': '1/2',
  '⅓': '1/3',
  '⅔': '2/3',
  '¼': '1/4',
  '¾': '3/4',
  '⅕': '1/5',
  '⅖': '2/5',
  '⅗': '3/5',
  '⅘': '4/5',
  '⅙': '1/6',
  '⅚': '5/6',
  '⅛': '1/8',
  '⅜': '3/8',
  '⅝': '5/8',
  '⅞': '7/8',
};

/** Signs with one usual mathematical meaning → LaTeX. What is not here stays, and is refused where it is read as mathematics. */
const SIGNS: Readonly<Record<string, string>> = {
  '−': '-',
  '‐': '-',
  '‑': '-',
  '–': '-',
  '﹣': '-',
  '×': '\\times ',
  '·': '\\cdot ',
  '⋅': '\\cdot ',
  '∙': '\\cdot ',
  '∗': '*',
  '÷': '/',
  '∕': '/',
  '⁄': '/',
  '≤': '\\le ',
  '≥': '\\ge ',
  '⩽': '\\le ',
  '⩾': '\\ge ',
  '≠': '\\ne ',
  '≈': '\\approx ',
  '±': '\\pm ',
  '∓': '\\mp ',
  '∪': '\\cup ',
  '∩': '\\cap ',
  '∈': '\\in ',
  '∖': '\\setminus ',
  '∅': '\\emptyset ',
  '∞': '\\infty ',
  ℝ: '\\mathbb{R}',
  ℤ: '\\mathbb{Z}',
  '°': '^\\circ ',
  º: '^\\circ ',
  '√': '\\surd ',
  '∠': '\\angle ',
  π: '\\pi ',
  α: '\\alpha ',
  β: '\\beta ',
  γ: '\\gamma ',
  δ: '\\delta ',
  ε: '\\epsilon ',
  θ: '\\theta ',
  λ: '\\lambda ',
  μ: '\\mu ',
  ρ: '\\rho ',
  σ: '\\sigma ',
  τ: '\\tau ',
  φ: '\\phi ',
  ω: '\\omega ',
  '⌊': '\\lfloor ',
  '⌋': '\\rfloor ',
  '⌈': '\\lceil ',
  '⌉': '\\rceil ',
  '⟨': '\\langle ',
  '⟩': '\\rangle ',
  '“': '"',
  '”': '"',
  '’': "'",
  '…': '...',
};

const NOT_ASCII = /\P{ASCII}/u;
const INVISIBLE = /[\u00AD\u200B-\u200D\u2060-\u2064\uFEFF]/gu;
const REORDERING = /[\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;
const SPACES = /[\u00A0\u2000-\u200A\u202F\u205F\u3000\t\r\n\f\v]/gu;

/**
 * Text with one spelling for each sign: invisible characters dropped, full-width and mathematical letters and digits as plain ones, superscripts as
 * `^{…}`, vulgar fractions as `\frac`, unicode signs as LaTeX. Letters and digits of other scripts are left as they are: a Cyrillic с is not a c.
 * Throws Unreadable `notation` for characters that reverse the reading order. Linear.
 */
export function normaliseText(text: string): string {
  if (!NOT_ASCII.test(text)) return text.replace(/[\t\r\n\f\v]/g, ' ');
  if (REORDERING.test(text))
    throw new Unreadable('notation', 'the text holds characters that change the reading order');
  return text
    .replace(INVISIBLE, '')
    .replace(SPACES, ' ')
    .normalize('NFC')
    .replace(/[\uFF01-\uFF5E\u{1D400}-\u{1D7FF}]/gu, (sign) => sign.normalize('NFKC'))
    .replace(/[⁰¹²³⁴-⁹⁺⁻ⁿ]+/gu, (run) => `^{${[...run].map((sign) => SUPERSCRIPTS[sign]).join('')}}`)
    .replace(/[₀-₉]+/gu, (run) => `_{${[...run].map((sign) => SUBSCRIPTS[sign]).join('')}}`)
    .replace(/[¼-¾⅓-⅞]/gu, (sign) =>
      FRACTIONS[sign] === undefined ? sign : `\\frac{${FRACTIONS[sign].replace('/', '}{')}}`,
    )
    .replace(/\P{ASCII}/gu, (sign) => SIGNS[sign] ?? sign);
}
