import { InvalidArgumentError } from 'commander';

/** A whole number ≥ 0 from the text of an option. Throws commander's InvalidArgumentError. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError('Expected a whole number.');
  return value;
}

/** A whole number ≥ 1 from the text of an option. Throws commander's InvalidArgumentError. */
export function countNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('Expected a whole number from 1 on.');
  return value;
}

/** A number > 0 from the text of an option. Throws commander's InvalidArgumentError. */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError('Expected a number above 0.');
  return value;
}

/** Any finite number from the text of an option. Throws commander's InvalidArgumentError. */
export function decimalNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('Expected a number such as 0.05.');
  return value;
}

/** A sampling temperature ≥ 0 from the text of an option; 0 is greedy. Throws commander's InvalidArgumentError. */
export function temperatureNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('Expected a number from 0 on.');
  return value;
}
