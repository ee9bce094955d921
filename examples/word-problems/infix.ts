import { decimalText, evaluateExpression } from './evaluate-expression.ts';

const PRECEDENCE: Readonly<Record<string, number>> = { '+': 1, '-': 1, '*': 2, '/': 2 };
const NUMBER_PRECEDENCE = 3;

interface Term {
  text: string;
  precedence: number;
}

/**
 * Polish notation → usual notation with no more parentheses than it needs: `/ + 50 60 2.0` → `(50 + 60) / 2`. Tokens
 * are separated by spaces. Throws Error when the text is not one complete expression.
 */
export function infixOf(prefix: string): string {
  const tokens = prefix.trim().split(/\s+/);
  let position = 0;
  const read = (): Term => {
    const token = tokens[position++];
    if (token === undefined) throw new Error(`The equation ${prefix} ends too early.`);
    const precedence = PRECEDENCE[token];
    if (precedence === undefined) return { text: plainNumber(token), precedence: NUMBER_PRECEDENCE };
    const left = read();
    const right = read();
    const isOrdered = token === '-' || token === '/';
    const leftText = left.precedence < precedence ? `(${left.text})` : left.text;
    const rightText =
      right.precedence < precedence || (isOrdered && right.precedence === precedence) ? `(${right.text})` : right.text;
    return { text: `${leftText} ${token} ${rightText}`, precedence };
  };
  const { text } = read();
  if (position < tokens.length) throw new Error(`The equation ${prefix} goes on after its end.`);
  return text;
}

/** `56.0` → `56`. */
function plainNumber(token: string): string {
  return decimalText(evaluateExpression(token)) ?? token;
}
