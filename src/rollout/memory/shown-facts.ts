const CHARACTERS_PER_TOKEN = 4;

/** The first facts that fit into so many tokens. */
export function shownFacts(facts: readonly string[], tokens: number): string[] {
  let left = tokens * CHARACTERS_PER_TOKEN;
  const fitting = facts.findIndex((fact) => {
    left -= fact.length + 3;
    return left < 0;
  });
  return facts.slice(0, fitting === -1 ? facts.length : fitting);
}
