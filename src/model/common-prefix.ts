/** Number of leading tokens that are the same in both, at most `limit`. */
export function commonPrefixLength(
  a: readonly number[],
  b: readonly number[],
  limit = Number.POSITIVE_INFINITY,
): number {
  const bound = Math.min(a.length, b.length, limit);
  let length = 0;
  while (length < bound && a[length] === b[length]) length++;
  return length;
}
