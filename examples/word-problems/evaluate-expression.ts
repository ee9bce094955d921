/** An exact quotient in lowest terms; the denominator is positive. */
export interface Quotient {
  numerator: bigint;
  denominator: bigint;
}

/**
 * Exact value of an arithmetic expression: decimals, + - * / with the usual precedence, a leading minus, parentheses.
 * Throws Error for anything else and for a division by zero. This is how the example proves its own answers; the
 * agent's calculator is another implementation on purpose.
 */
export function evaluateExpression(expression: string): Quotient {
  const tokens = expression.match(/\d+(?:\.\d+)?|\.\d+|[-+*/()]|\S/g) ?? [];
  let position = 0;
  const take = () => tokens[position++];

  const sum = (): Quotient => {
    let value = product();
    while (tokens[position] === '+' || tokens[position] === '-') {
      const sign = take() === '+' ? 1n : -1n;
      const right = product();
      value = reduced(
        value.numerator * right.denominator + sign * right.numerator * value.denominator,
        value.denominator * right.denominator,
      );
    }
    return value;
  };
  const product = (): Quotient => {
    let value = factor();
    while (tokens[position] === '*' || tokens[position] === '/') {
      const isTimes = take() === '*';
      const right = factor();
      if (!isTimes && right.numerator === 0n) throw new Error(`${expression} divides by zero`);
      value = isTimes
        ? reduced(value.numerator * right.numerator, value.denominator * right.denominator)
        : reduced(value.numerator * right.denominator, value.denominator * right.numerator);
    }
    return value;
  };
  const factor = (): Quotient => {
    const token = take();
    if (token === '-') {
      const value = factor();
      return { ...value, numerator: -value.numerator };
    }
    if (token === '(') {
      const value = sum();
      if (take() !== ')') throw new Error(`${expression} lacks a closing parenthesis`);
      return value;
    }
    if (token === undefined || !/\d/.test(token))
      throw new Error(`${expression} is not arithmetic near ${token ?? 'its end'}`);
    const [integer = '', fraction = ''] = token.split('.');
    return reduced(BigInt(integer + fraction), 10n ** BigInt(fraction.length));
  };

  const value = sum();
  if (position < tokens.length) throw new Error(`${expression} is not arithmetic near ${tokens[position]}`);
  return value;
}

/** Shortest decimal text of a quotient, null when its decimals never end. */
export function decimalText({ numerator, denominator }: Quotient): string | null {
  for (let places = 0; places <= 12; places++) {
    const scaled = numerator * 10n ** BigInt(places);
    if (scaled % denominator !== 0n) continue;
    const digits = String(scaled / denominator)
      .replace('-', '')
      .padStart(places + 1, '0');
    const sign = numerator < 0n ? '-' : '';
    return places === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`;
  }
  return null;
}

function reduced(numerator: bigint, denominator: bigint): Quotient {
  const sign = denominator < 0n ? -1n : 1n;
  let [left, right] = [numerator < 0n ? -numerator : numerator, denominator * sign];
  while (right !== 0n) [left, right] = [right, left % right];
  const divisor = left === 0n ? 1n : left;
  return { numerator: (sign * numerator) / divisor, denominator: (sign * denominator) / divisor };
}
