import { matchVersions } from '../registry/match-versions.ts';
import type { Registry } from '../registry/registry.ts';
import type { Version } from '../registry/version.ts';

/** How the help of a command says what its version may be. */
export const VERSION_HELP = 'v3, a pair hash, or champion; @2 behind it: of seed 2';

/**
 * A version for a command that acts on one. Where several seeds have what the reference names, it takes the first and says so on stderr. Throws what
 * `registry.find` throws.
 */
export async function findVersion(registry: Registry, reference: string): Promise<Version> {
  const found = await registry.find(reference);
  const note = seedNote(reference, found, await registry.versions());
  if (note !== null) process.stderr.write(`${note}\n`);
  return found;
}

function seedNote(reference: string, found: Version, versions: readonly Version[]): string | null {
  const others = matchVersions(reference, versions).filter(({ seed }) => seed !== found.seed);
  if (others.length === 0) return null;
  const choices = others.map(({ seed }) => `${reference}@${seed}`).join(', ');
  return `${reference} of seed ${found.seed} (v${found.version}); for another seed: ${choices}`;
}

/** `champion`, or `champion of seed 2` in a run of several seeds. */
export function championName({ seed }: Version, versions: readonly Version[]): string {
  return versions.some((other) => other.seed !== seed) ? `champion of seed ${seed}` : 'champion';
}
