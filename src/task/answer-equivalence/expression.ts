import type { Rational } from '../../base/rational.ts';

/** Functions that are written by their name, `\sin` or `sin`. */
export const NAMED_FUNCTIONS = [
  'sin',
  'cos',
  'tan',
  'cot',
  'sec',
  'csc',
  'arcsin',
  'arccos',
  'arctan',
  'sinh',
  'cosh',
  'tanh',
  'ln',
] as const;
/** Functions with a meaning. `log` is read as `ln` of the argument over `ln` of the base. */
export type FunctionName = (typeof NAMED_FUNCTIONS)[number] | 'abs' | 'floor' | 'ceil' | 'factorial' | 'binomial';

/**
 * A scalar as it was written: nothing is simplified. `decimal`: the literal had a decimal point or an exponent. `root`: real root where there is one,
 * else the principal one, `index` ≥ 2. `degrees`: of × π/180. `either`: + or −, `flipped` for ∓. `application`: of a function that only has a name.
 */
export type Expression =
  | { readonly kind: 'number'; readonly value: Rational; readonly decimal: boolean }
  | { readonly kind: 'symbol'; readonly name: string }
  | { readonly kind: 'constant'; readonly name: 'pi' | 'e' | 'i' | 'infinity' }
  | { readonly kind: 'sum'; readonly terms: readonly Expression[] }
  | { readonly kind: 'product'; readonly factors: readonly Expression[] }
  | { readonly kind: 'quotient'; readonly over: Expression; readonly under: Expression }
  | { readonly kind: 'negative'; readonly of: Expression }
  | { readonly kind: 'power'; readonly base: Expression; readonly exponent: Expression }
  | { readonly kind: 'root'; readonly of: Expression; readonly index: number }
  | { readonly kind: 'degrees'; readonly of: Expression }
  | { readonly kind: 'either'; readonly of: Expression; readonly flipped: boolean }
  | { readonly kind: 'call'; readonly name: FunctionName; readonly arguments: readonly Expression[] }
  | { readonly kind: 'application'; readonly name: string; readonly arguments: readonly Expression[] };

/** The parts of an expression, left to right. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'number':
    case 'symbol':
    case 'constant':
      return [];
    case 'sum':
      return expression.terms;
    case 'product':
      return expression.factors;
    case 'quotient':
      return [expression.over, expression.under];
    case 'power':
      return [expression.base, expression.exponent];
    case 'negative':
    case 'root':
    case 'degrees':
    case 'either':
      return [expression.of];
    case 'call':
    case 'application':
      return expression.arguments;
  }
}

/** The same node over other parts, as many as it had. */
export function withParts(expression: Expression, parts: readonly Expression[]): Expression {
  const [first, second] = parts as [Expression, Expression];
  switch (expression.kind) {
    case 'number':
    case 'symbol':
    case 'constant':
      return expression;
    case 'sum':
      return { kind: 'sum', terms: parts };
    case 'product':
      return { kind: 'product', factors: parts };
    case 'quotient':
      return { kind: 'quotient', over: first, under: second };
    case 'power':
      return { kind: 'power', base: first, exponent: second };
    case 'negative':
    case 'root':
    case 'degrees':
    case 'either':
      return { ...expression, of: first };
    case 'call':
    case 'application':
      return { ...expression, arguments: parts };
  }
}

/** True when `test` holds for the expression or anything inside it. */
export function someNode(expression: Expression, test: (node: Expression) => boolean): boolean {
  return test(expression) || partsOf(expression).some((part) => someNode(part, test));
}

/** Names of the free symbols and named functions, sorted. */
export function freeNames(expression: Expression): string[] {
  const names = new Set<string>();
  const visit = (node: Expression): void => {
    if (node.kind === 'symbol') names.add(node.name);
    if (node.kind === 'application') names.add(`${node.name}()`);
    for (const part of partsOf(node)) visit(part);
  };
  visit(expression);
  return [...names].sort();
}

export function isConstant(expression: Expression): boolean {
  return !someNode(expression, (node) => node.kind === 'symbol' || node.kind === 'application');
}

export function hasDecimal(expression: Expression): boolean {
  return someNode(expression, (node) => node.kind === 'number' && node.decimal);
}

/**
 * Text that two expressions share exactly when they are the same up to the order of sums and products and the way a number is written
 * (2.0 and 2). Nothing else is simplified.
 */
export function shapeOf(expression: Expression): string {
  const parts = partsOf(expression).map(shapeOf);
  switch (expression.kind) {
    case 'number':
      return `${expression.value.numerator}/${expression.value.denominator}`;
    case 'symbol':
    case 'constant':
      return `${expression.kind}:${expression.name}`;
    case 'sum':
    case 'product':
      return `${expression.kind}(${parts.sort().join(',')})`;
    case 'root':
      return `root${expression.index}(${parts.join(',')})`;
    case 'either':
      return `either${expression.flipped ? '-' : '+'}(${parts.join(',')})`;
    case 'call':
    case 'application':
      return `${expression.kind}:${expression.name}(${parts.join(',')})`;
    default:
      return `${expression.kind}(${parts.join(',')})`;
  }
}

/** +1 or −1 for ±∞, null for everything else. */
export function infinityOf(expression: Expression): 1 | -1 | null {
  if (expression.kind === 'negative') {
    const inside = infinityOf(expression.of);
    return inside === null ? null : inside === 1 ? -1 : 1;
  }
  return expression.kind === 'constant' && expression.name === 'infinity' ? 1 : null;
}
