import { lineageOf, predecessorOf, replayDiffs } from '../registry/lineage.ts';
import { type AuditEvidence, pairHash, type Version } from '../registry/version.ts';
import { type AuditReference, auditedKey, auditReferences, mostAuditGroups } from './audit-references.ts';
import { compareWithReference } from './compare-with-reference.ts';
import { expectedVariation, variationAlong } from './expected-variation.ts';
import { rollBack } from './roll-back.ts';
import { isGreedy } from './roll-out.ts';
import type { Arm } from './roll-pairs.ts';
import type { RunContext } from './run-context.ts';

/**
 * Drift check of a version that was just accepted: against the frozen seed pair and against the last champion that passed its audit. Returns it, or
 * the version that was rolled back to. One that was shown to improve goes only when it is shown to have lost, or its rollback would rest on luck. So does the first
 * change that rests on "not worse" alone: its gate has shown that it keeps the margin, and what improved before it cannot have lost. From the second one on the losses may
 * add up, and the sum must be shown to keep the margin.
 */
export async function auditChange(context: RunContext, version: Version, round: number): Promise<Version> {
  const versions = await context.registry.versions();
  const parent = predecessorOf(version, versions) as Version;
  const references = await auditReferences(context, parent);
  const audited = references.at(-1)?.version as Version;
  const subject = { version, arm: await armOf(context, version) };
  const restsOnNotWorse = version.verdict === 'simpler' || version.verdict === 'faster';
  let isCleared = true;
  for (const reference of references) {
    const { pair } = reference.version;
    if (pairHash(pair) === pairHash(version.pair)) continue;
    const arm = await armOf(context, reference.version);
    const isRepetition = restsOnNotWorse || (isGreedy(arm.harness) && isGreedy(subject.arm.harness));
    if (pairHash(pair) === pairHash(parent.pair) && isRepetition) continue;
    const mustHold = restsOnNotWorse && reference.unimproved > 0;
    const evidence = await compareWithReference(context, {
      round,
      subject,
      reference: { version: reference.version, arm },
      against: reference.against,
      title: titleOf(reference),
      discordance: variationAlong(context, [...reference.chain, version]),
      leastGroups: mustHold ? mostAuditGroups(context) : null,
      alpha: context.config.gate.alpha,
      lossAlpha: context.config.gate.alpha / references.length,
    });
    if (evidence.verdict === 'drifted') return backTo(context, version, audited, versions, evidence, round);
    if (evidence.verdict === 'ok') continue;
    isCleared = false;
    if (mustHold && evidence.blocked === undefined) return backTo(context, version, parent, versions, evidence, round);
  }
  if (isCleared) await markAudited(context, version);
  return version;
}

function titleOf({ against, version }: AuditReference): string {
  return against === 'seed' ? 'the seed pair' : `v${version.version}, the last one audited`;
}

/** Audits the diffs of φ again after a weight update: each against the champion without it, under the new weights. Returns the champion then. */
export async function auditDiffs(context: RunContext, updated: Version, round: number): Promise<Version> {
  let champion = updated;
  const lineage = lineageOf(updated, await context.registry.versions());
  const diffs = lineage.filter(({ patch }) => patch !== null).reverse();
  for (const diff of diffs) {
    const standing = lineageOf(champion, await context.registry.versions());
    const without = replayDiffs(context.seedHarness, standing, new Set([diff.version]));
    const isStanding = standing.some(({ version }) => version === diff.version);
    if (!isStanding || without.harness.hash === champion.pair.harness) continue;
    const pair = { harness: without.harness.hash, model: champion.pair.model };
    const reference = { harness: without.harness, pair };
    const evidence = await compareWithReference(context, {
      round,
      subject: { version: champion, arm: await armOf(context, champion) },
      reference: { version: null, arm: reference },
      against: 'without-diff',
      title: `itself without "${diff.patch?.title}" (v${diff.version})`,
      discordance: expectedVariation(context, reference, champion).discordance,
      leastGroups: null,
      alpha: context.config.gate.alpha,
      lossAlpha: context.config.gate.alpha / diffs.length,
    });
    if (evidence.verdict !== 'drifted') continue;
    const reason = `"${diff.patch?.title}" (v${diff.version}) is harmful under the new weights`;
    champion = await rollBack(context, {
      from: champion,
      to: reference,
      undoes: without.missing,
      evidence,
      round,
      reason,
    });
  }
  return champion.version === updated.version ? champion : auditChange(context, champion, round);
}

async function backTo(
  context: RunContext,
  from: Version,
  to: Version,
  versions: readonly Version[],
  evidence: AuditEvidence,
  round: number,
): Promise<Version> {
  const kept = new Set(lineageOf(to, versions).map(({ version }) => version));
  const undoes = lineageOf(from, versions).flatMap(({ version }) => (kept.has(version) ? [] : [version]));
  const what =
    evidence.verdict === 'drifted' ? 'lost' : 'rests on "not worse" alone, as others before it, and was not cleared';
  const reason = `${what} against ${evidence.against === 'seed' ? 'the seed pair' : 'the last audited champion'}`;
  const arm = await armOf(context, to);
  return rollBack(context, { from, to: arm, undoes, evidence, round, reason: `v${from.version} ${reason}`, goal: to });
}

async function armOf(context: RunContext, { pair }: Version): Promise<Arm> {
  return { harness: await context.registry.harness(pair.harness), pair };
}

async function markAudited(context: RunContext, version: Version): Promise<void> {
  const key = auditedKey(context, version);
  await context.journal.put({ key, kind: 'audited', value: { version: version.version } });
}
