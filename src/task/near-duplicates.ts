import { contentHash } from '../base/content-hash.ts';

/**
 * Jaccard similarity of shingle sets from which two problems count as near-copies. Chosen in
 * docs/decisions/near-duplicates.md.
 */
export const NEAR_DUPLICATE_THRESHOLD = 0.5;

const SHINGLE_WORDS = 2;

export interface ClusterItem {
  problem: string;
  /** Items with the same group are always in one cluster, whatever their texts. */
  group?: string | undefined;
}

/**
 * Cluster key of each item, aligned with `items`. Two items share a cluster if their problems are near-copies, if they
 * were given the same group, or if a chain of such pairs joins them (single linkage, so that no near-copy can ever
 * straddle two clusters).
 *
 * Near-copy: Jaccard similarity of the sets of word pairs ≥ `threshold` in (0, 1], after {@link normaliseProblem}.
 * Exact (no hashing trick): pairs are found through an inverted index over each set's rarest shingles (prefix filter:
 * Chaudhuri, Ganti & Kaushik, ICDE 2006; Bayardo, Ma & Srikant, WWW 2007), 1 to 2 s of CPU for 10,000 problems.
 *
 * The key is the smallest given group, or, where none was given, a hash of the alphabetically first problem: it does
 * not depend on the order of `items`.
 */
export function clusterNearDuplicates(
  items: readonly ClusterItem[],
  threshold: number = NEAR_DUPLICATE_THRESHOLD,
): string[] {
  const sets = disjointSets(items.length);
  const firstOfGroup = new Map<string, number>();
  items.forEach((item, index) => {
    if (item.group === undefined) return;
    const first = firstOfGroup.get(item.group);
    if (first === undefined) firstOfGroup.set(item.group, index);
    else sets.join(first, index);
  });
  joinSimilar(rankedShingles(items.map((item) => item.problem)), threshold, sets);
  const keys = new Map<number, string>();
  for (const [root, members] of sets.members())
    keys.set(root, clusterKey(members.map((index) => items[index] as ClusterItem)));
  return items.map((_, index) => keys.get(sets.find(index)) as string);
}

/**
 * Words that carry the wording of a problem: lower case, numbers as `#`, names as `@`, pronouns without gender, no
 * punctuation. A capitalised word inside a sentence is a name; one at the start of a sentence is a name unless it is
 * one of the words that usually start one. In a problem without any capital the words of `names` (lower case) are
 * names: some sets hold each problem twice, once in lower case.
 */
export function normaliseProblem(problem: string, names: ReadonlySet<string> = new Set()): string[] {
  const known = hasCapital(problem) ? undefined : names;
  return tokensOf(problem).map(({ token, atStart }) =>
    isName(token, atStart) || known?.has(lowerForm(token)) ? '@' : wordClass(token),
  );
}

function hasCapital(problem: string): boolean {
  return /\p{Lu}/u.test(problem);
}

function lowerForm(token: string): string {
  return token.toLowerCase().replace(/['’]s$/, '');
}

function tokensOf(problem: string): { token: string; atStart: boolean }[] {
  const tokens: { token: string; atStart: boolean }[] = [];
  let atStart = true;
  for (const [token] of problem.matchAll(/\d(?:[\d.,/]*\d)?|\p{L}[\p{L}'’-]*|[.?!]/gu)) {
    if (/^[.?!]$/.test(token)) {
      atStart = true;
    } else {
      tokens.push({ token, atStart });
      atStart = false;
    }
  }
  return tokens;
}

/**
 * Words that the collection writes with a capital as names and, in problems that have capitals at all, never without.
 */
function namesOf(problems: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  const ordinary = new Set<string>();
  for (const problem of problems.filter(hasCapital)) {
    for (const { token, atStart } of tokensOf(problem))
      (isName(token, atStart) ? names : ordinary).add(lowerForm(token));
  }
  for (const word of ordinary) names.delete(word);
  return names;
}

function isName(token: string, atStart: boolean): boolean {
  const lower = lowerForm(token);
  return /^\p{Lu}/u.test(token) && lower !== 'i' && !(atStart && SENTENCE_STARTERS.has(lower));
}

const PRONOUNS: Readonly<Record<string, string>> = {
  she: 'he',
  they: 'he',
  her: 'his',
  him: 'his',
  their: 'his',
  them: 'his',
  hers: 'his',
  theirs: 'his',
  herself: 'himself',
  themselves: 'himself',
};

/** Words that start English sentences without being names. Anything else with a capital is taken for one. */
const SENTENCE_STARTERS = new Set(
  `a about after all altogether an and another as at before between both but by calculate can compute could
  determine did do does during each every few find first five for four from given had has have he her his how i if
  in into it its last later let many most my next nine no now of on once one only or other our out over people
  seven she six so some soon students suppose ten that the their then there these they this those three to today
  together tomorrow two under until we what when where which while who whose why will with within without would
  yesterday you your`.split(/\s+/),
);

function wordClass(token: string): string {
  if (/^\d/.test(token)) return '#';
  const lower = lowerForm(token);
  return PRONOUNS[lower] ?? lower;
}

function shinglesOf(problem: string, names: ReadonlySet<string>): string[] {
  const words = normaliseProblem(problem, names);
  if (words.length <= SHINGLE_WORDS) return [words.join(' ')];
  const shingles = new Set<string>();
  for (let start = 0; start + SHINGLE_WORDS <= words.length; start++) {
    shingles.add(words.slice(start, start + SHINGLE_WORDS).join(' '));
  }
  return [...shingles];
}

/** Each problem's shingles as ranks, ascending: rank 0 is the rarest shingle of the collection. */
function rankedShingles(problems: readonly string[]): Uint32Array[] {
  const names = namesOf(problems);
  const numbers = new Map<string, number>();
  const frequency: number[] = [];
  const numbered = problems.map((problem) =>
    shinglesOf(problem, names).map((shingle) => {
      let number = numbers.get(shingle);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(shingle, number);
      }
      frequency[number] = (frequency[number] ?? 0) + 1;
      return number;
    }),
  );
  const byFrequency = Uint32Array.from(frequency.keys()).sort(
    (a, b) => (frequency[a] as number) - (frequency[b] as number),
  );
  const ranks = new Uint32Array(byFrequency.length);
  byFrequency.forEach((number, rank) => {
    ranks[number] = rank;
  });
  return numbered.map((own) => Uint32Array.from(own, (number) => ranks[number] as number).sort());
}

function joinSimilar(ranked: readonly Uint32Array[], threshold: number, sets: DisjointSets): void {
  const itemsByShingle = new Map<number, number[]>();
  ranked.forEach((own, index) => {
    // Two sets with Jaccard ≥ t share a shingle among the first |x| − ⌈t·|x|⌉ + 1 of either's sorted lists.
    const prefix = own.length - Math.ceil(threshold * own.length) + 1;
    for (const shingle of own.subarray(0, prefix)) {
      const earlier = itemsByShingle.get(shingle);
      if (earlier === undefined) {
        itemsByShingle.set(shingle, [index]);
        continue;
      }
      for (const other of earlier) {
        if (sets.find(other) !== sets.find(index) && jaccard(own, ranked[other] as Uint32Array) >= threshold) {
          sets.join(other, index);
        }
      }
      earlier.push(index);
    }
  });
}

function jaccard(left: Uint32Array, right: Uint32Array): number {
  let shared = 0;
  let leftIndex = 0;
  let rightIndex = 0;
  while (leftIndex < left.length && rightIndex < right.length) {
    const difference = (left[leftIndex] as number) - (right[rightIndex] as number);
    if (difference === 0) shared++;
    if (difference <= 0) leftIndex++;
    if (difference >= 0) rightIndex++;
  }
  return shared / (left.length + right.length - shared);
}

function clusterKey(members: readonly ClusterItem[]): string {
  const groups = members.flatMap((member) => (member.group === undefined ? [] : [member.group])).sort();
  if (groups[0] !== undefined) return groups[0];
  const first = members.map((member) => member.problem).sort()[0] as string;
  return `near-${contentHash(first).slice(0, 12)}`;
}

interface DisjointSets {
  find(index: number): number;
  join(left: number, right: number): void;
  members(): Map<number, number[]>;
}

function disjointSets(size: number): DisjointSets {
  const parent = Uint32Array.from({ length: size }, (_, index) => index);
  const find = (index: number): number => {
    let root = index;
    while (parent[root] !== root) root = parent[root] as number;
    let walker = index;
    while (parent[walker] !== root) {
      const next = parent[walker] as number;
      parent[walker] = root;
      walker = next;
    }
    return root;
  };
  return {
    find,
    join: (left, right) => {
      parent[find(left)] = find(right);
    },
    members: () => {
      const byRoot = new Map<number, number[]>();
      for (let index = 0; index < size; index++) {
        const root = find(index);
        const members = byRoot.get(root);
        if (members === undefined) byRoot.set(root, [index]);
        else members.push(index);
      }
      return byRoot;
    },
  };
}
