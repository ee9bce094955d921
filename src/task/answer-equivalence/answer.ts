import type { Expression } from './expression.ts';
import type { Unit } from './units.ts';

export type Comparison = '=' | '!=' | '<' | '>' | '<=' | '>=';

/** What kind of statement a text is as a whole, as it was written. */
export type Answer =
  | { readonly kind: 'value'; readonly expression: Expression; readonly unit: Unit | null; readonly percent: boolean }
  /** Digits in a base other than words: value of the digits, and the base. */
  | { readonly kind: 'based'; readonly digits: string; readonly base: number }
  /** Unordered. `braces`: written as a set, so that repetitions do not count. `joinedBy`: the word between the items, if one stands there. */
  | {
      readonly kind: 'list';
      readonly items: readonly Answer[];
      readonly braces: boolean;
      readonly joinedBy: 'and' | 'or' | null;
    }
  /** Ordered: `( , )` or `⟨ , ⟩`. Two items in round brackets may also be an open interval. */
  | { readonly kind: 'tuple'; readonly items: readonly Answer[] }
  | {
      readonly kind: 'interval';
      readonly low: Answer;
      readonly high: Answer;
      readonly lowClosed: boolean;
      readonly highClosed: boolean;
    }
  | { readonly kind: 'union'; readonly parts: readonly Answer[] }
  /** The first without the others. */
  | { readonly kind: 'without'; readonly whole: Answer; readonly removed: Answer }
  | { readonly kind: 'number-set'; readonly name: string }
  | { readonly kind: 'matrix'; readonly rows: readonly (readonly Answer[])[] }
  | { readonly kind: 'ratio'; readonly parts: readonly Answer[] }
  /** `operators[n]` stands between `sides[n]` and `sides[n + 1]`. */
  | { readonly kind: 'relation'; readonly sides: readonly Answer[]; readonly operators: readonly Comparison[] }
  | { readonly kind: 'membership'; readonly of: Answer; readonly set: Answer }
  /** Words. `product`: what the letters are as a product of symbols, where they are few enough to be one. */
  | { readonly kind: 'text'; readonly words: string; readonly product: Expression | null };
