/** Columns that every terminal has, and that output in a pipe keeps to. */
export const PRINT_WIDTH = 80;

/** Lines of at most `width` characters, broken between words; a longer word gets a line of its own. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** The same within 80 columns: the first line after `indent`, the others after `further`, by default two columns more. */
export function wrapIndented(text: string, indent: string, further = `${indent}  `): string[] {
  if (indent.length + text.length <= PRINT_WIDTH) return [`${indent}${text}`];
  const width = PRINT_WIDTH - Math.max(indent.length, further.length);
  return wrapText(text, width).map((line, index) => `${index === 0 ? indent : further}${line}`);
}
