import { wrapText } from '../base/wrap-text.ts';

/** Columns that every terminal has, and a pipe is read at. */
export const PRINT_WIDTH = 80;

/** Text with `indent` on its first line, wrapped at 80 columns; what does not fit stands two columns further in. */
export function wrapIndented(text: string, indent: string): string[] {
  const further = `${indent}  `;
  return wrapText(text, PRINT_WIDTH - further.length).map((line, index) => `${index === 0 ? indent : further}${line}`);
}
