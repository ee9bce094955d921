import { descendsFrom } from '../registry/lineage.ts';
import type { Version } from '../registry/version.ts';
import type { RunContext } from './run-context.ts';

/**
 * The champion that a round starts from: the one the loop carries, unless a person rolled back since. A rollback asked for during a round takes
 * effect at the next one; what that round still accepted on the old champion is left behind.
 */
export async function startOfRound(context: RunContext, carried: Version, round: number): Promise<Version> {
  const versions = await context.registry.versions();
  const asked = versions.findLast(
    (version) =>
      version.seed === context.seed &&
      version.kind === 'rollback' &&
      version.rolledBack === undefined &&
      version.round < round,
  );
  return asked === undefined || descendsFrom(carried, asked, versions) ? carried : asked;
}
