/** Freezes an object, its members and theirs. Maps must be frozen by {@link frozenMap}. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}

/** A copy that throws TypeError on set, delete and clear: Object.freeze alone leaves a Map writable. */
export function frozenMap<K, V>(entries: ReadonlyMap<K, V>): ReadonlyMap<K, V> {
  const map = new Map(entries);
  const refuse = () => {
    throw new TypeError('This map is immutable.');
  };
  for (const name of ['set', 'delete', 'clear']) Object.defineProperty(map, name, { value: refuse });
  return Object.freeze(map);
}
