/** The last question of a problem names a percentage. */
export function asksForPercentage(problem: string): boolean {
  const question = problem.split(/(?<=[.?!])\s+/u).findLast((sentence) => sentence.includes('?')) ?? problem;
  return /\bwhat (?:is the )?percent|\bpercentage\b|\b(?:how many|as a|in) per ?cent\b|\bwhat per ?cent/iu.test(question);
}
