/** Least, greatest and step (default 1) of a number drawn at random, or an expression over numbers listed before it. */
export type NumberRule = readonly [least: number, greatest: number, step?: number] | string;

/**
 * A pattern of word problems. `problem` has slots in braces: numbers by name (`{x}`, `{x.money}` for dollars), people
 * `{A}`, `{B}`, `{C}` with `{A.he}`, `{A.He}`, `{A.his}`, `{A.him}`, and words of `vocabulary.ts` by list (`{fruit}`;
 * `{fruit2}` is another word of that list). `expression` uses the numbers by name, + - * / and parentheses, and gives
 * an integer or a terminating decimal for every draw. Numbers that it does not use are there to distract.
 */
export interface Template {
  id: string;
  problem: string;
  numbers: Readonly<Record<string, NumberRule>>;
  expression: string;
}
