/** A percentage is asked for by the last question of a problem or by what follows it ("Express your answer as a percent."). */
export function wantsPercentage(problem: string): boolean {
  const sentences = problem.split(/(?<=[.?!])\s+/u);
  const last = sentences.findLastIndex((sentence) => sentence.includes('?'));
  const question = last < 0 ? problem : sentences.slice(last).join(' ');
  return /\bwhat (?:is the )?percent|\bpercentage\b|\b(?:how many|as a|in) per ?cent\b|\bwhat per ?cent/iu.test(
    question,
  );
}
