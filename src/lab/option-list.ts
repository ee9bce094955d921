/** Collects an option that may be repeated, in the order of the command line. */
export function appended(value: string, earlier: string[]): string[] {
  return [...earlier, value];
}
