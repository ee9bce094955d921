import { type ContentHash, contentHash } from '../base/content-hash.ts';
import { points } from '../base/share-text.ts';
import { chanceToHold } from '../gate/chance-to-hold.ts';
import { predecessorOf } from '../registry/lineage.ts';
import { pairHash, type Version } from '../registry/version.ts';
import { gateGroups, tasksPerGateGroup } from './draw-tasks.ts';
import { mostGateGroups } from './error-shares.ts';
import { variationAlong } from './expected-variation.ts';
import type { Arm } from './roll-pairs.ts';
import type { RunContext } from './run-context.ts';

/** Something that a champion is built on and that does not move with it. */
export interface AuditReference {
  version: Version;
  against: 'seed' | 'audited';
  /** Pairs from the reference to the champion, both included, oldest first. */
  chain: Version[];
  /** Steps of the chain that no gate has shown to improve: each may have lost up to the margin. */
  unimproved: number;
  /** What the gates have shown the other steps to gain, ≥ 0: the lower ends of their intervals. */
  shownGain: number;
}

/**
 * What a change of `champion` is audited against: the frozen seed pair and the last champion on the way from it, `champion` included, that passed its audit; one entry
 * where both are the same pair.
 */
export async function auditReferences(
  context: RunContext,
  champion: Version,
): Promise<[AuditReference, ...AuditReference[]]> {
  const versions = await context.registry.versions();
  const chain = [champion];
  let audited: AuditReference | undefined;
  for (;;) {
    const [oldest] = chain as [Version];
    if (audited === undefined && (await isAudited(context, oldest))) audited = referenceOf('audited', chain);
    const before = predecessorOf(oldest, versions);
    if (before === undefined) break;
    chain.unshift(before);
  }
  const seed = referenceOf('seed', chain);
  const isOther = audited !== undefined && pairHash(audited.version.pair) !== pairHash(seed.version.pair);
  return isOther ? [seed, audited as AuditReference] : [seed];
}

function referenceOf(against: AuditReference['against'], chain: readonly Version[]): AuditReference {
  // A rollback to an earlier pair follows it with nothing in between, and one of a single diff was shown to help.
  const changes = chain.slice(1).filter(({ kind }) => kind !== 'rollback');
  const improved = changes.filter(({ verdict }) => verdict === 'better' || verdict === 'bought');
  return {
    version: chain[0] as Version,
    against,
    chain: [...chain],
    unimproved: changes.length - improved.length,
    shownGain: improved.reduce((sum, { decision }) => sum + Math.max(0, decision?.whole.low ?? 0), 0),
  };
}

export function auditedKey({ seed }: RunContext, { version }: Version): ContentHash {
  return contentHash({ step: 'audited', seed, version });
}

async function isAudited(context: RunContext, version: Version): Promise<boolean> {
  return (await context.journal.get(auditedKey(context, version))) !== undefined;
}

/** Groups that one audit can take at most. */
export function mostAuditGroups(context: RunContext): number {
  return Math.min(gateGroups(context).length, context.config.sizes.auditGroups ?? mostGateGroups(context));
}

/**
 * Why a diff of `champion` cannot rest on "not worse" alone, or null: its losses and those of others before it could add up, and no audit could show that they stay
 * below the margin. Known before its gate is paid.
 */
export async function objectionOfAudit(context: RunContext, champion: Version, child: Arm): Promise<string | null> {
  for (const reference of await auditReferences(context, champion)) {
    if (reference.unimproved === 0 || couldShowSum(context, reference, child)) continue;
    const since = reference.against === 'seed' ? 'the seed pair' : `v${reference.version.version}`;
    return (
      `others since ${since} were only shown not to be worse, and with ${mostAuditGroups(context)} groups ` +
      `an audit could not show that together they lose less than ${points(context.config.gate.margin)}`
    );
  }
  return null;
}

/** Chance that an audit must have to show a sum of small losses, where the diff itself loses nothing. */
const ENOUGH_CHANCE = 0.8;

function couldShowSum(context: RunContext, { chain, shownGain }: AuditReference, child: Arm): boolean {
  const { margin, alpha } = context.config.gate;
  const chance = chanceToHold({
    groups: mostAuditGroups(context),
    tasksPerGroup: tasksPerGateGroup(context),
    discordance: variationAlong(context, [...chain, child]),
    alpha,
    margin,
    lead: shownGain,
  });
  return chance >= ENOUGH_CHANCE;
}
