import { createHash } from 'node:crypto';

/** 64 lower-case hexadecimal digits: SHA-256 of the canonical JSON of a value. Equal content ⇔ equal hash. */
export type ContentHash = string & { readonly __contentHash: true };

/**
 * JSON with object keys sorted by code unit at every depth, no white space, and `undefined` members left out: two values
 * that mean the same are one text. Throws TypeError for numbers that JSON cannot hold (NaN, ±Infinity).
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`canonical JSON cannot hold the number ${value}`);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value === 'object') {
    const members = Object.entries(value as Record<string, unknown>)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  throw new TypeError(`canonical JSON cannot hold a ${typeof value}`);
}

export function contentHash(value: unknown): ContentHash {
  return createHash('sha256').update(canonicalJson(value)).digest('hex') as ContentHash;
}

/** The first 8 digits, for people. Never an identity. */
export function shortHash(hash: string): string {
  return hash.slice(0, 8);
}
