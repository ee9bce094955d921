export type CharacterTest = (character: string) => boolean;
/** Whether a place lies between these two characters; undefined = the text ends there. */
export type PlaceTest = (before: string | undefined, after: string | undefined) => boolean;

export type PatternNode =
  | { kind: 'character'; test: CharacterTest }
  | { kind: 'place'; holds: PlaceTest }
  | { kind: 'sequence'; parts: PatternNode[] }
  | { kind: 'choice'; options: PatternNode[] }
  | { kind: 'repeat'; part: PatternNode; least: number; most: number };

const isDigit: CharacterTest = (character) => character >= '0' && character <= '9';
const isWord: CharacterTest = (character) => /^[A-Za-z0-9_]$/.test(character);
const isSpace: CharacterTest = (character) => /^\s$/.test(character);
const CLASSES: Readonly<Record<string, CharacterTest>> = {
  d: isDigit,
  D: (character) => !isDigit(character),
  w: isWord,
  W: (character) => !isWord(character),
  s: isSpace,
  S: (character) => !isSpace(character),
};
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
const isEdge: PlaceTest = (before, after) => isWord(before ?? ' ') !== isWord(after ?? ' ');

/** Pattern text → tree. Throws Error with what is wrong and where. Known forms: see {@link linearPattern} in linear-pattern.ts. */
export function parsePattern(source: string, ignoresCase: boolean): PatternNode {
  return new PatternParser(source, ignoresCase).whole();
}

class PatternParser {
  private readonly characters: readonly string[];
  private readonly ignoresCase: boolean;
  private at = 0;

  constructor(source: string, ignoresCase: boolean) {
    this.characters = Array.from(source);
    this.ignoresCase = ignoresCase;
  }

  whole(): PatternNode {
    const node = this.choice(0);
    if (this.at < this.characters.length) this.fail('a ")" closes nothing');
    return node;
  }

  private get next(): string | undefined {
    return this.characters[this.at];
  }

  private fail(problem: string): never {
    throw new Error(`${problem} at character ${this.at + 1}`);
  }

  private takes(character: string): boolean {
    if (this.next !== character) return false;
    this.at++;
    return true;
  }

  private taken(problem: string): string {
    const character = this.next;
    if (character === undefined) this.fail(problem);
    this.at++;
    return character;
  }

  private choice(depth: number): PatternNode {
    if (depth > 50) this.fail('groups are nested more than 50 deep');
    const options = [this.sequence(depth)];
    while (this.takes('|')) options.push(this.sequence(depth));
    return { kind: 'choice', options };
  }

  private sequence(depth: number): PatternNode {
    const parts: PatternNode[] = [];
    while (this.next !== undefined && this.next !== '|' && this.next !== ')') parts.push(this.repeated(depth));
    return { kind: 'sequence', parts };
  }

  private repeated(depth: number): PatternNode {
    const part = this.single(depth);
    const bounds = this.repetition();
    if (bounds === null) return part;
    if (part.kind === 'place') this.fail('a place cannot be repeated');
    this.takes('?');
    if ('*+?'.includes(this.next ?? ' ')) this.fail('nothing to repeat');
    return { kind: 'repeat', part, ...bounds };
  }

  private repetition(): { least: number; most: number } | null {
    if (this.takes('*')) return { least: 0, most: Number.POSITIVE_INFINITY };
    if (this.takes('+')) return { least: 1, most: Number.POSITIVE_INFINITY };
    if (this.takes('?')) return { least: 0, most: 1 };
    const counted = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(this.characters.slice(this.at, this.at + 12).join(''));
    if (counted === null) return null;
    const least = Number(counted[1]);
    const upper = counted[3] === '' ? Number.POSITIVE_INFINITY : Number(counted[3]);
    const most = counted[2] === undefined ? least : upper;
    if (most < least) this.fail('the bounds of {m,n} are in the wrong order');
    this.at += counted[0].length;
    return { least, most };
  }

  private single(depth: number): PatternNode {
    const character = this.taken('the pattern ends early');
    if (character === '(') return this.group(depth);
    if (character === '[') return { kind: 'character', test: this.set() };
    if (character === '.') return { kind: 'character', test: (other) => other !== '\n' };
    if (character === '^') return { kind: 'place', holds: (before) => before === undefined };
    if (character === '$') return { kind: 'place', holds: (_before, after) => after === undefined };
    if (character === '\\') return this.escaped();
    if ('*+?'.includes(character)) this.fail('nothing to repeat');
    return { kind: 'character', test: this.anyCase((other) => other === character) };
  }

  private group(depth: number): PatternNode {
    if (this.takes('?') && !this.takes(':')) this.fail('look-around and named groups are not known');
    const inner = this.choice(depth + 1);
    if (!this.takes(')')) this.fail('a group is not closed');
    return inner;
  }

  private escaped(): PatternNode {
    const character = this.taken('a backslash ends the pattern');
    if (character === 'b') return { kind: 'place', holds: isEdge };
    if (character === 'B') return { kind: 'place', holds: (before, after) => !isEdge(before, after) };
    const known = CLASSES[character];
    if (known !== undefined) return { kind: 'character', test: known };
    const literal = this.literal(character);
    return { kind: 'character', test: this.anyCase((other) => other === literal) };
  }

  private literal(escaped: string): string {
    const control = CONTROLS[escaped];
    if (control !== undefined) return control;
    return /^[A-Za-z0-9]$/.test(escaped) ? this.fail(`\\${escaped} is not known`) : escaped;
  }

  private set(): CharacterTest {
    const isNegated = this.takes('^');
    const tests: CharacterTest[] = [];
    do tests.push(this.range());
    while (!this.takes(']'));
    const isMember = this.anyCase((other) => tests.some((test) => test(other)));
    return (other) => isMember(other) !== isNegated;
  }

  private anyCase(test: CharacterTest): CharacterTest {
    return this.ignoresCase ? (other) => test(other.toLowerCase()) || test(other.toUpperCase()) : test;
  }

  private range(): CharacterTest {
    const from = this.member();
    if (typeof from === 'function') return from;
    if (this.next !== '-' || this.characters[this.at + 1] === ']') return (other) => other === from;
    this.at++;
    const to = this.member();
    if (typeof to === 'function' || to < from) this.fail('a range in a [set] has no order');
    return (other) => other >= from && other <= to;
  }

  private member(): string | CharacterTest {
    const character = this.taken('a [set] is not closed');
    if (character !== '\\') return character;
    const escaped = this.taken('a backslash ends the pattern');
    return CLASSES[escaped] ?? this.literal(escaped);
  }
}
