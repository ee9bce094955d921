/** The first and last characters of a long text with a note of how many are left out between; a text that would not get shorter stays. */
export function headAndTail(text: string, head: number, tail: number): string {
  const left = text.length - head - tail;
  const note = `… [${left} characters left out] …`;
  if (left <= note.length) return text;
  return `${text.slice(0, head)}${note}${tail === 0 ? '' : text.slice(-tail)}`;
}
