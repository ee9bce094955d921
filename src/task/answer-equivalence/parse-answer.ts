import type { Answer, Comparison } from './answer.ts';
import { ANSWER_LIMITS, Unreadable } from './answer-limits.ts';
import type { Expression } from './expression.ts';
import { normaliseText } from './normalise-text.ts';
import { parseSum } from './parse-expression.ts';
import { plainWords, unwrapText } from './plain-words.ts';
import { rewriteNotation } from './rewrite-notation.ts';
import { spreadEither } from './spread-either.ts';
import { type Cursor, isCommand, isMark, nested, peek, startCursor, takeMark, unexpected } from './token-cursor.ts';
import { type Token, type TokeniserOptions, tokenise } from './tokens.ts';
import { isUnitLetter, readUnit } from './units.ts';

/**
 * A text as one answer: value, list, tuple, interval, set, matrix, relation or words. What is neither mathematics nor words (an unknown command) is
 * refused. Throws Unreadable, nothing else, for any text whatsoever.
 */
export function parseAnswer(text: string, options: TokeniserOptions = { commasSeparate: false }): Answer {
  if (text.length > ANSWER_LIMITS.characters) {
    throw new Unreadable('limit', `the answer has ${text.length} characters, more than ${ANSWER_LIMITS.characters}`);
  }
  const source = unwrapText(rewriteNotation(normaliseText(text)));
  if (source === '') throw new Unreadable('notation', 'the answer is empty');
  const words = plainWords(source);
  if (words !== null)
    return { kind: 'text', words, product: /\\(?:text|mbox)/.test(text) ? null : productOf(source, words) };
  let tokens: Token[] = [];
  try {
    tokens = tokenise(source, options);
    const cursor = startCursor(tokens);
    const answer = parseList(cursor);
    if (peek(cursor).kind !== 'end') throw unexpected(cursor);
    return answer;
  } catch (error) {
    if (!(error instanceof Unreadable) || error.reason !== 'notation' || !isProse(source, tokens)) throw error;
    return { kind: 'text', words: source, product: null };
  }
}

/** Two or three letters may be a product of symbols as well as a word, unless they are written as text. */
function productOf(source: string, words: string): Expression | null {
  if (words.length > 3 || words !== source || !/^[A-Za-z]+$/.test(source)) return null;
  const cursor = startCursor(tokenise(source, { commasSeparate: false }));
  const product = peek(cursor).kind === 'symbol' ? parseSum(cursor) : null;
  return peek(cursor).kind === 'end' ? product : null;
}

/** Words stand in it, and no command that we do not know. */
function isProse(source: string, tokens: readonly Token[]): boolean {
  return (
    tokens.some((token) => token.kind === 'word') ||
    (tokens.length === 0 && !source.includes('\\') && /\p{L}{2}/u.test(source))
  );
}

const SEPARATORS = [',', ';', 'and', 'or'];

/** Items between commas, semicolons, "and", "or". One item is itself. */
function parseList(cursor: Cursor): Answer {
  const start = cursor.position;
  const items = parseItems(cursor, SEPARATORS);
  if (items.length === 1) return items[0] as Answer;
  const words = cursor.tokens.slice(start, cursor.position).filter((token) => isMark(token, 'and', 'or'));
  return { ...listOf(items, false), joinedBy: (words[0]?.text ?? null) as 'and' | 'or' | null };
}

function listOf(items: readonly Answer[], braces: boolean): Extract<Answer, { kind: 'list' }> {
  return { kind: 'list', items, braces, joinedBy: null };
}

function parseItems(cursor: Cursor, separators: readonly string[]): Answer[] {
  const items: Answer[] = [];
  for (;;) {
    const item = spreadEither(parseItem(cursor));
    if (item.kind === 'list' && !item.braces) items.push(...item.items);
    else items.push(item);
    if (takeMark(cursor, ...separators) === null) return items;
    // "a, b, and c": the word belongs to the comma.
    takeMark(cursor, 'and', 'or');
  }
}

const COMPARISONS = ['=', '!=', '<', '>', '<=', '>='];

function parseItem(cursor: Cursor): Answer {
  const sides = [parseSide(cursor)];
  const operators: Comparison[] = [];
  if (takeMark(cursor, 'in') !== null) return { kind: 'membership', of: sides[0] as Answer, set: parseSide(cursor) };
  for (;;) {
    const operator = takeMark(cursor, ...COMPARISONS);
    if (operator === null) break;
    operators.push(operator as Comparison);
    if (operator === '=' && sides.length === 1 && isMark(peek(cursor), '=')) cursor.position++;
    sides.push(parseSide(cursor));
  }
  return operators.length === 0 ? (sides[0] as Answer) : { kind: 'relation', sides, operators };
}

/** Sets joined by ∪ and \, or ratios, or one operand. */
function parseSide(cursor: Cursor): Answer {
  const first = parseOperand(cursor);
  if (isMark(peek(cursor), 'cup')) {
    const parts = [first];
    while (takeMark(cursor, 'cup') !== null) parts.push(parseOperand(cursor));
    return { kind: 'union', parts };
  }
  const isDifference =
    takeMark(cursor, 'setminus') !== null || (first.kind === 'number-set' && takeMark(cursor, '-') !== null);
  if (isDifference) return { kind: 'without', whole: first, removed: parseOperand(cursor) };
  if (!isMark(peek(cursor), ':')) return first;
  const parts = [first];
  while (takeMark(cursor, ':') !== null) parts.push(parseOperand(cursor));
  return { kind: 'ratio', parts };
}

function parseOperand(cursor: Cursor): Answer {
  const token = peek(cursor);
  if (token.kind === 'word') return parseWords(cursor);
  if (token.kind === 'based' || (isMark(token, '-') && peek(cursor, 1).kind === 'based')) return parseBased(cursor);
  if (isCommand(token, 'emptyset')) {
    cursor.position++;
    return listOf([], true);
  }
  if (isCommand(token, 'mathbb')) return parseNumberSet(cursor);
  if (isCommand(token, 'begin')) return nested(cursor, () => parseMatrix(cursor));
  if (isStructure(cursor)) return nested(cursor, () => parseStructure(cursor));
  return parseValue(cursor);
}

function parseWords(cursor: Cursor): Answer {
  const words: string[] = [];
  while (peek(cursor).kind === 'word') words.push(cursor.tokens[cursor.position++]?.text ?? '');
  const [only] = words;
  const isLetter = words.length === 1 && only !== undefined && /^[A-Za-z]$/.test(only);
  if (isLetter) return { kind: 'value', expression: { kind: 'symbol', name: only }, unit: null, percent: false };
  return { kind: 'text', words: words.join(' '), product: null };
}

function parseBased(cursor: Cursor): Answer {
  const sign = takeMark(cursor, '-') === null ? '' : '-';
  const token = peek(cursor);
  cursor.position++;
  const base = token.base as number;
  const digits = [...token.text.replace('.', '')].map((digit) => Number.parseInt(digit, 36));
  if (base < 2 || base > 36 || digits.some((digit) => digit >= base)) {
    throw new Unreadable('notation', `${token.text.slice(0, 20)} is no number in base ${base}`);
  }
  return { kind: 'based', digits: `${sign}${token.text}`, base };
}

function parseNumberSet(cursor: Cursor): Answer {
  cursor.position++;
  const isGroup = takeMark(cursor, '{') !== null;
  const { kind, text } = peek(cursor);
  cursor.position++;
  if (kind !== 'symbol' || (isGroup && takeMark(cursor, '}') === null)) throw unexpected(cursor);
  return { kind: 'number-set', name: text };
}

function parseMatrix(cursor: Cursor): Answer {
  const name = environmentName(cursor);
  if (!/^[pbB]?matrix$/.test(name))
    throw new Unreadable('notation', `the environment ${name.slice(0, 20)} is not read`);
  const rows: Answer[][] = [[]];
  for (;;) {
    (rows.at(-1) as Answer[]).push(parseItem(cursor));
    if (takeMark(cursor, '&') !== null) continue;
    if (takeMark(cursor, '\\\\') === null) break;
    if (isCommand(peek(cursor), 'end')) break;
    rows.push([]);
  }
  if (environmentName(cursor) !== name) throw unexpected(cursor);
  if (rows.some((row) => row.length !== rows[0]?.length))
    throw new Unreadable('notation', 'the rows of a matrix have different lengths');
  return { kind: 'matrix', rows };
}

function environmentName(cursor: Cursor): string {
  const command = peek(cursor);
  if (!isCommand(command, 'begin', 'end') || !isMark(peek(cursor, 1), '{')) throw unexpected(cursor);
  cursor.position += 2;
  let name = '';
  while (takeMark(cursor, '}') === null) {
    if (peek(cursor).kind === 'end') throw unexpected(cursor);
    name += cursor.tokens[cursor.position++]?.text ?? '';
  }
  return name;
}

const OPENERS = ['(', '[', '\\{', '{', '<('];
const CLOSERS = [')', ']', '\\}', '}', ')>'];

/** A bracket with a comma of its own, or a set, that is not a factor of something. */
function isStructure(cursor: Cursor): boolean {
  const opener = peek(cursor);
  if (isMark(opener, '\\{')) return true;
  const isReversed = isMark(opener, ']');
  if (!isReversed && !isMark(opener, ...OPENERS)) return false;
  let depth = 0;
  let commas = false;
  for (let ahead = 0; ; ahead++) {
    const token = peek(cursor, ahead);
    if (token.kind === 'end') return false;
    if (isMark(token, ...OPENERS) && !(isReversed && isMark(token, '['))) depth++;
    else if (ahead === 0) depth++;
    else if (isMark(token, ...CLOSERS) || (isReversed && isMark(token, '['))) depth--;
    if (depth === 1 && isMark(token, ',', ';')) commas = true;
    if (depth === 0) return commas && endsSide(peek(cursor, ahead + 1));
  }
}

function endsSide(token: Token): boolean {
  return (
    token.kind === 'end' ||
    token.kind === 'word' ||
    isCommand(token, 'end') ||
    (token.kind === 'mark' && !['+', '-', '*', '/', '^', '!', '_', '|', '(', '[', '{', '%'].includes(token.text))
  );
}

function parseStructure(cursor: Cursor): Answer {
  const opener = peek(cursor).text;
  cursor.position++;
  if (opener === '\\{' && takeMark(cursor, '\\}') !== null) return listOf([], true);
  if (opener === '\\{') return parseSet(cursor);
  const items = parseItems(cursor, [',', ';']);
  const closer = takeMark(cursor, ...CLOSERS, ...(opener === ']' || opener === '(' ? ['['] : []));
  if (closer === null) throw unexpected(cursor);
  if (opener === '{' && closer === '}') return listOf(items, true);
  if (opener === '(' && closer === ')') return { kind: 'tuple', items };
  if (opener === '<(' && closer === ')>') return { kind: 'tuple', items };
  if (!['(', '[', ']'].includes(opener) || ![')', ']', '['].includes(closer))
    throw new Unreadable('notation', 'brackets do not match');
  if (items.length === 2 && !items.every((item) => item.kind === 'interval')) {
    const [low, high] = items as [Answer, Answer];
    return { kind: 'interval', low, high, lowClosed: opener === '[', highClosed: closer === ']' };
  }
  if (opener !== '[' || closer !== ']') throw new Unreadable('notation', 'an interval has two ends');
  const rows = items.map(rowOf);
  return rows.every((row) => row !== null && row.length === rows[0]?.length)
    ? { kind: 'matrix', rows: rows as Answer[][] }
    : listOf(items, false);
}

/** A row of a matrix written as nested lists. */
function rowOf(item: Answer): readonly Answer[] | null {
  if (item.kind === 'interval' && item.lowClosed && item.highClosed) return [item.low, item.high];
  return item.kind === 'list' && !item.braces ? item.items : null;
}

/** Behind `\{`: items, or `x : condition`, which is the condition. */
function parseSet(cursor: Cursor): Answer {
  if (peek(cursor).kind === 'symbol' && isMark(peek(cursor, 1), ':', 'mid', '|')) {
    cursor.position += 2;
    const condition = parseList(cursor);
    if (takeMark(cursor, '\\}') === null) throw unexpected(cursor);
    return condition;
  }
  const items = parseItems(cursor, [',', ';']);
  if (takeMark(cursor, '\\}') === null) throw unexpected(cursor);
  return listOf(items, true);
}

const CURRENCIES = ['$', '€', '£', '¥'];

/** A scalar with what stands around it: currency, percent sign, unit. */
function parseValue(cursor: Cursor): Answer {
  const sign = isMark(peek(cursor), '-') && isMark(peek(cursor, 1), ...CURRENCIES) ? takeMark(cursor, '-') : null;
  const currency = takeMark(cursor, ...CURRENCIES);
  const read = parseSum(cursor);
  const expression: Expression = sign === null ? read : { kind: 'negative', of: read };
  if (takePercent(cursor)) return { kind: 'value', expression, unit: null, percent: true };
  const degrees = withoutDegrees(expression);
  if (degrees !== null) return { kind: 'value', expression: degrees, unit: readUnit('°'), percent: false };
  const scale = takeScale(cursor, expression);
  const written = takeUnitText(cursor);
  const unit = written === '' ? null : readUnit(written);
  if (written !== '' && unit === null) throw new Unreadable('notation', `"${written.slice(0, 30)}" is no unit`);
  return {
    kind: 'value',
    expression: scale,
    unit: unit ?? (currency === null ? null : readUnit(currency)),
    percent: false,
  };
}

function takePercent(cursor: Cursor): boolean {
  if (takeMark(cursor, '%') !== null) return true;
  const token = peek(cursor);
  if (token.kind !== 'word' || !/^percent$/i.test(token.text)) return false;
  cursor.position++;
  return true;
}

function withoutDegrees(expression: Expression): Expression | null {
  if (expression.kind === 'degrees') return expression.of;
  if (expression.kind !== 'negative') return null;
  const of = withoutDegrees(expression.of);
  return of === null ? null : { kind: 'negative', of };
}

const SCALES: Readonly<Record<string, bigint>> = {
  hundred: 100n,
  thousand: 1000n,
  million: 1_000_000n,
  billion: 1_000_000_000n,
  trillion: 1_000_000_000_000n,
  dozen: 12n,
};

/** `5 million`, `5 \text{ million dollars}`. */
function takeScale(cursor: Cursor, expression: Expression): Expression {
  const token = peek(cursor);
  const [word = '', ...rest] = token.kind === 'word' ? token.text.toLowerCase().split(/\s+/) : [];
  const scale = Object.hasOwn(SCALES, word) ? SCALES[word] : undefined;
  if (scale === undefined) return expression;
  if (rest.length === 0) cursor.position++;
  else cursor.tokens[cursor.position] = { ...token, text: rest.join(' ') };
  return {
    kind: 'product',
    factors: [expression, { kind: 'number', value: { numerator: scale, denominator: 1n }, decimal: false }],
  };
}

function takeUnitText(cursor: Cursor): string {
  let text = '';
  for (;;) {
    const token = peek(cursor);
    if (token.kind === 'word') {
      text += ` ${token.text}`;
      cursor.position++;
    } else if (text !== '' && isMark(token, '/') && isUnitWord(peek(cursor, 1))) {
      text += ` / ${peek(cursor, 1).text}`;
      cursor.position += 2;
    } else {
      const power = text === '' ? null : takeUnitPower(cursor);
      if (power === null) return text.trim();
      text += power;
    }
  }
}

/** A word, or one of the letters that are units behind another one: `km/h`. */
function isUnitWord(token: Token): boolean {
  return token.kind === 'word' || (token.kind === 'symbol' && isUnitLetter(token.text));
}

/** `^2` or `^{2}`. */
function takeUnitPower(cursor: Cursor): string | null {
  if (!isMark(peek(cursor), '^')) return null;
  const inBraces = isMark(peek(cursor, 1), '{');
  const digit = peek(cursor, inBraces ? 2 : 1);
  if (digit.kind !== 'number' || !/^\d$/.test(digit.text) || (inBraces && !isMark(peek(cursor, 3), '}'))) return null;
  cursor.position += inBraces ? 4 : 2;
  return `^${digit.text}`;
}
