import { type Rational, rational } from '../../base/rational.ts';
import { type Effort, Unreadable } from './answer-limits.ts';
import {
  addComplex,
  type ComplexInterval,
  cosineComplex,
  divideComplex,
  exponentialComplex,
  hyperbolic,
  integerPower,
  isReal,
  logarithmComplex,
  modulus,
  multiplyComplex,
  negateComplex,
  powerComplex,
  real,
  rootComplex,
  sineComplex,
} from './complex-interval.ts';
import { piInterval } from './elementary-functions.ts';
import { exactRational } from './exact-rational.ts';
import type { Expression, FunctionName } from './expression.ts';
import { absoluteInterval, fromRational, Imprecise, type RealInterval, signOf } from './real-interval.ts';

/** Where a scalar is evaluated: a value for every symbol, and one for every named function with the arguments as written. */
export interface Point {
  symbol(name: string): Rational;
  application(name: string, of: readonly Expression[]): Rational;
}

/**
 * A rectangle that certainly holds the value, ends in units of 2^-bits. Roots are real where there is a real one; other multivalued functions take the
 * principal value. Throws Imprecise where `bits` are too few, Unreadable where there is no value or it is out of range.
 */
export function evaluateNumerically(
  expression: Expression,
  bits: number,
  point: Point,
  effort: Effort,
): ComplexInterval {
  effort.spend(1 + bits / 64);
  const inside = (part: Expression): ComplexInterval => evaluateNumerically(part, bits, point, effort);
  switch (expression.kind) {
    case 'number':
      return real(fromRational(expression.value, bits));
    case 'symbol':
      return real(fromRational(point.symbol(expression.name), bits));
    case 'application':
      return real(fromRational(point.application(expression.name, expression.arguments), bits));
    case 'constant':
      return constantValue(expression.name, bits);
    case 'negative':
      return negateComplex(inside(expression.of));
    case 'sum':
      return expression.terms.map(inside).reduce(addComplex);
    case 'product':
      return expression.factors.map(inside).reduce((product, factor) => multiplyComplex(product, factor, bits));
    case 'quotient':
      return divideComplex(inside(expression.over), inside(expression.under), bits);
    case 'degrees':
      return multiplyComplex(inside(expression.of), real(scaled(piInterval(bits), 180n)), bits);
    case 'power':
      return powerValue(expression.base, expression.exponent, inside, bits);
    case 'root':
      effort.spend((bits * bits) / 1200);
      return rootComplex(inside(expression.of), expression.index, bits);
    case 'call':
      effort.spend((bits * bits) / 600);
      return callValue(expression, inside, bits);
    case 'either':
      throw new Unreadable('notation', 'a sign ± stands where one value is expected');
  }
}

function constantValue(name: 'pi' | 'e' | 'i' | 'infinity', bits: number): ComplexInterval {
  const one: RealInterval = { low: 1n << BigInt(bits), high: 1n << BigInt(bits) };
  if (name === 'pi') return real(piInterval(bits));
  if (name === 'e') return exponentialComplex(real(one), bits);
  if (name === 'i') return { re: { low: 0n, high: 0n }, im: one };
  throw new Unreadable('undefined', 'it calculates with infinity');
}

function scaled(a: RealInterval, divisor: bigint): RealInterval {
  return { low: a.low / divisor, high: a.high / divisor + 1n };
}

const MOST_EXPONENT = 100_000;

function powerValue(
  baseOf: Expression,
  exponentOf: Expression,
  inside: (part: Expression) => ComplexInterval,
  bits: number,
): ComplexInterval {
  const exponent = exactRational(exponentOf);
  const base = inside(baseOf);
  if (exponent === null) return powerComplex(base, inside(exponentOf), bits);
  const over = Number(exponent.numerator);
  const under = Number(exponent.denominator);
  if (Math.abs(over) > MOST_EXPONENT || under > MOST_EXPONENT)
    throw new Unreadable('limit', 'an exponent is too large');
  const root = under === 1 ? base : rootComplex(base, under, bits);
  refuseLargePower(root, Math.abs(over), bits);
  const power = integerPower(root, Math.abs(over), bits);
  const one: RealInterval = { low: 1n << BigInt(bits), high: 1n << BigInt(bits) };
  return over >= 0 ? power : divideComplex(real(one), power, bits);
}

const MOST_BITS_OF_POWER = 20_000;

function refuseLargePower(base: ComplexInterval, exponent: number, bits: number): void {
  const size = modulus(base, bits).high;
  if (size === 0n) return;
  const magnitude = size.toString(16).length * 4 - bits;
  if (magnitude * exponent > MOST_BITS_OF_POWER) throw new Unreadable('limit', 'a power is too large');
  if (magnitude * exponent < -bits / 2) throw new Imprecise();
}

type Call = Extract<Expression, { kind: 'call' }>;

function callValue(call: Call, inside: (part: Expression) => ComplexInterval, bits: number): ComplexInterval {
  if (call.name === 'factorial' || call.name === 'binomial') {
    const exact = exactRational(call);
    if (exact === null)
      throw new Unreadable('notation', `a ${call.name} of something that is no number cannot be evaluated`);
    return real(fromRational(exact, bits));
  }
  const argument = inside(call.arguments[0] as Expression);
  refuseTiny(argument, bits);
  return FUNCTIONS[call.name](argument, bits);
}

/** A tiny argument would vanish in the result: nothing could be told from such a value. */
function refuseTiny(argument: ComplexInterval, bits: number): void {
  const size = modulus(argument, bits);
  if (size.high !== 0n && size.high < 1n << BigInt(bits / 2)) throw new Imprecise();
}

type RealFunction = (a: ComplexInterval, bits: number) => ComplexInterval;

const one = (bits: number): ComplexInterval => real({ low: 1n << BigInt(bits), high: 1n << BigInt(bits) });
const inverse =
  (of: RealFunction): RealFunction =>
  (a, bits) =>
    divideComplex(one(bits), of(a, bits), bits);
const tangent: RealFunction = (a, bits) => divideComplex(sineComplex(a, bits), cosineComplex(a, bits), bits);

const FUNCTIONS: Readonly<Record<Exclude<FunctionName, 'factorial' | 'binomial'>, RealFunction>> = {
  sin: sineComplex,
  cos: cosineComplex,
  tan: tangent,
  cot: (a, bits) => divideComplex(cosineComplex(a, bits), sineComplex(a, bits), bits),
  sec: inverse(cosineComplex),
  csc: inverse(sineComplex),
  ln: logarithmComplex,
  abs: (a, bits) => real(modulus(a, bits)),
  floor: (a, bits) => roundedDown(a, bits),
  ceil: (a, bits) => negateComplex(roundedDown(negateComplex(a), bits)),
  sinh: (a, bits) => real(hyperbolic(onlyReal(a), bits).sinh),
  cosh: (a, bits) => real(hyperbolic(onlyReal(a), bits).cosh),
  tanh: (a, bits) => {
    const { sinh, cosh } = hyperbolic(onlyReal(a), bits);
    return divideComplex(real(sinh), real(cosh), bits);
  },
  arctan: (a, bits) => angle(one(bits), a, bits),
  arcsin: (a, bits) => angle(cofactor(a, bits), a, bits),
  arccos: (a, bits) => angle(a, cofactor(a, bits), bits),
};

function onlyReal(a: ComplexInterval): RealInterval {
  if (!isReal(a)) throw new Unreadable('notation', 'that function of a complex number is not read');
  return a.re;
}

/** The angle of the point (x, y), as ln(x + iy) has it. */
function angle(x: ComplexInterval, y: ComplexInterval, bits: number): ComplexInterval {
  return real(logarithmComplex({ re: onlyReal(x), im: onlyReal(y) }, bits).im);
}

/** √(1 − a²), −1 ≤ a ≤ 1. */
function cofactor(a: ComplexInterval, bits: number): ComplexInterval {
  const value = onlyReal(a);
  const unit = 1n << BigInt(bits);
  if (absoluteInterval(value).low > unit)
    throw new Unreadable('undefined', 'it takes the inverse of a sine or cosine beyond 1');
  const root = rootComplex(addComplex(one(bits), negateComplex(multiplyComplex(a, a, bits))), 2, bits);
  if (!isReal(root)) throw new Imprecise();
  return root;
}

function roundedDown(a: ComplexInterval, bits: number): ComplexInterval {
  const value = onlyReal(a);
  const shift = BigInt(bits);
  if (value.low >> shift !== value.high >> shift) throw new Imprecise();
  return real(fromRational(rational(value.low >> shift), bits));
}

/** Negative, 0 or positive for an exact or clearly separated real. Throws Imprecise, Unreadable. */
export function realSign(a: ComplexInterval): number {
  return signOf(onlyReal(a));
}
