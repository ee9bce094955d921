import type { Expression } from './expression.ts';
import { isUnitLetter, readUnit, type Unit } from './units.ts';

/** `1000 m`, `10 m/s`, `2 m^3` read as a number with a unit; null where the letters cannot be one. */
export function asQuantity(expression: Expression): { expression: Expression; unit: Unit } | null {
  const { over, under } = expression.kind === 'quotient' ? expression : { over: expression, under: null };
  if (over.kind !== 'product' || over.factors.length !== 2) return null;
  const [size, letter] = over.factors as [Expression, Expression];
  const above = unitText(letter);
  const below = under === null ? '' : unitText(under);
  if (size.kind !== 'number' || above === null || below === null) return null;
  const unit = readUnit(below === '' ? above : `${above}/${below}`);
  return unit?.known == null ? null : { expression: size, unit };
}

function unitText(expression: Expression): string | null {
  if (expression.kind === 'symbol') return isUnitLetter(expression.name) ? expression.name : null;
  if (expression.kind !== 'power' || expression.exponent.kind !== 'number') return null;
  const base = unitText(expression.base);
  const { numerator, denominator } = expression.exponent.value;
  return base === null || denominator !== 1n || numerator < 2n || numerator > 3n ? null : `${base}^${numerator}`;
}
