import { type Rational, rational } from '../../base/rational.ts';
import { ANSWER_LIMITS, refuseLargeInteger, Unreadable } from './answer-limits.ts';
import {
  ALIASES,
  COMMANDS,
  GREEK,
  hasMeaningAlone,
  MARKS,
  NAMED_OBJECTS,
  PLAIN_GREEK,
  PLAIN_NAMES,
  SILENT,
  TEXT_COMMANDS,
  TRANSPARENT,
} from './notation.ts';
import { isUnitName } from './units.ts';

/**
 * `number`: a literal. `symbol`: one letter or a Greek name. `command`: a name with a meaning (frac, sqrt, pi, sin …). `word`: text, or letters that
 * stand together and are no product. `based`: digits with a base. `mark`: an operator, bracket or relation, in one spelling. `glued`: no space before.
 */
export interface Token {
  readonly kind: 'number' | 'symbol' | 'command' | 'word' | 'based' | 'mark' | 'end';
  readonly text: string;
  readonly glued: boolean;
  readonly value?: Rational;
  readonly decimal?: boolean;
  readonly base?: number;
}

export interface TokeniserOptions {
  /** Read `1,234` as two numbers. Without it, it is one where no bracket is open. */
  commasSeparate: boolean;
}

const NUMBER = /\d+(?:\.\d+)?|\.\d+/y;
const GROUPED = /\d{1,3}(?:,\d{3})+(?!,?\d)(?:\.\d+)?/y;
const REPEATING = /(\d*)\.(\d*)\\(?:overline|bar|dot(?=\s*\{?\s*\d\s*(?:\}|(?!\d))))\s*(?:\{\s*(\d+)\s*\}|(\d))/y;
const EXPONENT = /[eE]([+-]?\d{1,9})(?![\d.A-Za-z])/y;
const BASED =
  /((?:[A-Z]+(?=\d))?[0-9][0-9A-Z]*(?:\.[0-9A-Z]+)?|\([0-9][0-9A-Z]*\))_(?:\{\s*(?:\\text\{)?(\d{1,3})\}?\s*\}|(\d{1,2}))(?!\d)/y;
const LETTERS = /\p{L}\p{M}*(?:['’]?\p{L}\p{M}*)*/uy;
const COMMAND = /\\([A-Za-z]+|[^A-Za-z])/y;
const SIGN = /\*\*|<=|>=|!=|\|\||\.\.\.|[-+*/^_!%=<>,;:|()[\]{}&$€£¥?"'~.]/y;

/** Digits with one way to group them: `1{,}234`, `1,\!234`, `1\,234`, `1 234` → 1234. A plain comma stays. */
function joinDigitGroups(text: string): string {
  return text
    .replace(/(?<=\d)(?:\{,\}|\{\\,\}|,\s*\\!\s*|\s?\\[,;:]\s?|~)(?=\d{3}(?!\d))/g, '')
    .replace(/(?<![\d.,^_{/] ?)\d{1,3}(?: \d{3})+(?! ?[\d/]| ?\\[dt]?frac)/g, (groups) => groups.replaceAll(' ', ''));
}

/** Text after normaliseText → tokens, the last of kind `end`. Throws Unreadable. Linear. */
export function tokenise(source: string, options: TokeniserOptions): Token[] {
  const text = joinDigitGroups(source);
  const reader = new Tokeniser(text, options);
  while (reader.readNext());
  reader.tokens.push({ kind: 'end', text: '', glued: false });
  return reader.tokens;
}

class Tokeniser {
  readonly tokens: Token[] = [];
  private readonly text: string;
  private readonly options: TokeniserOptions;
  private position = 0;
  private openBrackets = 0;
  private glued = false;

  constructor(text: string, options: TokeniserOptions) {
    this.text = text;
    this.options = options;
  }

  /** False at the end of the text. */
  readNext(): boolean {
    this.glued = this.position > 0;
    while (this.text[this.position] === ' ' || this.text[this.position] === '~') {
      this.position++;
      this.glued = false;
    }
    if (this.position >= this.text.length) return false;
    if (
      !(
        this.readBased() ||
        this.readRepeating() ||
        this.readNumber() ||
        this.readLetters() ||
        this.readCommand() ||
        this.readSign()
      )
    ) {
      throw new Unreadable('notation', `cannot read "${this.text.slice(this.position, this.position + 12)}"`);
    }
    return true;
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.position;
    const match = pattern.exec(this.text);
    if (match !== null) this.position = pattern.lastIndex;
    return match;
  }

  private push(token: Omit<Token, 'glued'>): true {
    this.tokens.push({ ...token, glued: this.glued });
    return true;
  }

  private mark(text: string): true {
    if (text === '(' || text === '[' || text === '\\{') this.openBrackets++;
    if (text === ')' || text === ']' || text === '\\}') this.openBrackets--;
    return this.push({ kind: 'mark', text });
  }

  private readBased(): boolean {
    const match = this.match(BASED);
    if (match === null) return false;
    return this.push({
      kind: 'based',
      text: (match[1] as string).replace(/[()]/g, ''),
      base: Number(match[2] ?? match[3]),
    });
  }

  private readRepeating(): boolean {
    const match = this.match(REPEATING);
    if (match === null) return false;
    const [, whole = '', lead = '', inBraces, single] = match;
    const period = inBraces ?? (single as string);
    const all = bigIntOf(`${whole}${lead}${period}`);
    const nines = 10n ** BigInt(period.length) - 1n;
    const value = rational(all - bigIntOf(`${whole}${lead}`), nines * 10n ** BigInt(lead.length));
    return this.push({ kind: 'number', text: match[0], value, decimal: false });
  }

  private readNumber(): boolean {
    const grouped = this.openBrackets === 0 && !this.options.commasSeparate ? this.match(GROUPED) : null;
    const match = grouped ?? this.match(NUMBER);
    if (match === null) return false;
    const exponent = this.match(EXPONENT);
    const [integer = '', fraction = ''] = match[0].replaceAll(',', '').split('.');
    const power = exponent === null ? 0 : Number(exponent[1]);
    if (Math.abs(power) > ANSWER_LIMITS.characters)
      throw new Unreadable('limit', `the power of ten ${power} is too large`);
    const shift = BigInt(fraction.length - power);
    const digits = bigIntOf(`${integer}${fraction}`);
    const value = shift > 0n ? rational(digits, 10n ** shift) : rational(digits * 10n ** -shift);
    refuseLargeInteger(value.numerator);
    refuseLargeInteger(value.denominator);
    const decimal = fraction !== '' || exponent !== null;
    return this.push({ kind: 'number', text: match[0], value, decimal });
  }

  private readLetters(): boolean {
    const match = this.match(LETTERS);
    if (match === null) return false;
    const letters = match[0];
    const isAfterNumber = this.glued && this.tokens.at(-1)?.kind === 'number';
    if (letters === 'in' && this.tokens.at(-1)?.kind === 'number' && !this.glued)
      return this.push({ kind: 'word', text: letters });
    if (PLAIN_NAMES.has(letters)) return this.push({ kind: 'command', text: ALIASES[letters] ?? letters });
    if (PLAIN_GREEK.has(letters)) return this.push({ kind: 'symbol', text: letters });
    if (hasMeaningAlone(letters)) return this.mark(letters.toLowerCase());
    if (letters === 'U' && this.isBetweenSets()) return this.mark('cup');
    // A word behind a word goes on with it: "miles per hour".
    if (letters.length > 1 && !this.glued && this.tokens.at(-1)?.kind === 'word')
      return this.push({ kind: 'word', text: letters });
    if (
      letters.length > 1 &&
      (isUnitName(letters) || (letters.length > 3 && !isAfterNumber) || !/^[A-Za-z]+$/.test(letters))
    ) {
      return this.push({ kind: 'word', text: letters });
    }
    for (const letter of letters) {
      this.push({ kind: /[A-Za-z]/.test(letter) ? 'symbol' : 'word', text: letter });
      this.glued = true;
    }
    return true;
  }

  /** `(1,2) U (3,4)`: between a closing and an opening bracket the letter is a union sign. */
  private isBetweenSets(): boolean {
    const before = this.tokens.at(-1)?.text ?? '';
    const after = this.text.slice(this.position).trimStart()[0] ?? '';
    return (before === ')' || before === ']') && (after === '(' || after === '[');
  }

  private readCommand(): boolean {
    const match = this.match(COMMAND);
    if (match === null) return false;
    const written = match[1] as string;
    if (SILENT.test(written)) return this.skipSizedBracket(written);
    if (TRANSPARENT.has(written)) return true;
    if (TEXT_COMMANDS.has(written)) return this.readText();
    if (NAMED_OBJECTS.has(written))
      return this.push({ kind: 'symbol', text: `${written}(${this.readGroupText().trim()})` });
    if (written === 'operatorname') return this.readOperatorName();
    const name = ALIASES[written] ?? written;
    if (Object.hasOwn(MARKS, name)) return this.mark(MARKS[name] as string);
    if (GREEK.has(name)) return this.push({ kind: 'symbol', text: name });
    if (COMMANDS.has(name)) return this.push({ kind: 'command', text: name });
    throw new Unreadable('notation', `\\${written.slice(0, 20)} is not read`);
  }

  /** `\left.` and `\right.` are brackets that are not there. */
  private skipSizedBracket(written: string): true {
    if ((written === 'left' || written === 'right') && this.text[this.position] === '.') this.position++;
    return true;
  }

  private readText(): true {
    const content = this.readGroupText().trim();
    const word = content.replace(/^[,;]\s*/, '').toLowerCase();
    if (content === '') return true;
    if (word === 'and' || word === 'or') return this.mark(word);
    const isOperandPlace =
      ['mark', undefined].includes(this.tokens.at(-1)?.kind) &&
      ![')', ']', '}', '\\}', '!'].includes(this.tokens.at(-1)?.text ?? '');
    if (/^[A-Za-z]$/.test(content) && isOperandPlace) return this.push({ kind: 'symbol', text: content });
    return this.push({ kind: 'word', text: content });
  }

  private readOperatorName(): true {
    const name = this.readGroupText().trim();
    const known = ALIASES[name] ?? name;
    if (!COMMANDS.has(known)) throw new Unreadable('notation', `the operator ${name.slice(0, 20)} is not read`);
    return this.push({ kind: 'command', text: known });
  }

  /** The raw text of the group or the single sign that follows. */
  private readGroupText(): string {
    while (this.text[this.position] === ' ') this.position++;
    if (this.text[this.position] !== '{') return this.text[this.position++] ?? '';
    let depth = 0;
    const start = this.position + 1;
    for (; this.position < this.text.length; this.position++) {
      if (this.text[this.position] === '{') depth++;
      if (this.text[this.position] === '}' && --depth === 0) return this.text.slice(start, this.position++);
    }
    throw new Unreadable('notation', 'a { is never closed');
  }

  private readSign(): boolean {
    const match = this.match(SIGN);
    if (match === null) return false;
    return this.mark(match[0] === '**' ? '^' : match[0]);
  }
}

function bigIntOf(digits: string): bigint {
  if (digits.length > ANSWER_LIMITS.integerBits / 3)
    throw new Unreadable('limit', `a number has ${digits.length} digits`);
  return BigInt(digits === '' ? '0' : digits);
}
