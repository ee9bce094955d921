import { InvalidArgumentError } from 'commander';

/** A whole number ≥ 0 from the text of an option. Throws commander's InvalidArgumentError. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError('Expected a whole number.');
  return value;
}

/** Any finite number from the text of an option. Throws commander's InvalidArgumentError. */
export function decimalNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('Expected a number such as 0.05.');
  return value;
}
