import { contentHash } from '../base/content-hash.ts';
import { NOT_WORSE_ALPHA } from '../gate/plan-gate.ts';
import { lineageOf, replayDiffs } from '../registry/lineage.ts';
import { type AuditEvidence, pairHash, type Version } from '../registry/version.ts';
import { compareWithReference } from './compare-with-reference.ts';
import { rollBack } from './roll-back.ts';
import { isGreedy } from './roll-out.ts';
import type { Arm } from './roll-pairs.ts';
import type { RunContext } from './run-context.ts';

/**
 * Drift check of a version that was just accepted: against the frozen seed pair and against the last champion that passed its audit. Returns it, or
 * the version that was rolled back to. A change that rests on "not worse" alone must be shown to have kept the margin; one that was shown
 * to improve goes only when it is shown to have lost, or its rollback would rest on luck.
 */
export async function auditChange(context: RunContext, version: Version, round: number): Promise<Version> {
  const versions = await context.registry.versions();
  const audited = await lastAudited(context, version, versions);
  const seedPair = versions.find(({ kind, seed }) => kind === 'seed' && seed === context.seed) as Version;
  const references = new Map([seedPair, audited].map((reference) => [pairHash(reference.pair), reference]));
  const subject = { version, arm: await armOf(context, version) };
  const restsOnNotWorse = version.verdict === 'simpler' || version.verdict === 'faster';
  let isCleared = true;
  for (const reference of references.values()) {
    const arm = await armOf(context, reference);
    if (reference.version === version.parent && isGreedy(arm.harness) && isGreedy(subject.arm.harness)) continue;
    if (pairHash(reference.pair) === pairHash(version.pair)) continue;
    const evidence = await compareWithReference(context, {
      round,
      subject,
      reference: { version: reference, arm },
      against: reference === seedPair ? 'seed' : 'audited',
      title: reference === seedPair ? 'the seed pair' : `v${reference.version}, the last one audited`,
      alpha: restsOnNotWorse ? NOT_WORSE_ALPHA : context.config.gate.alpha,
      lossAlpha: context.config.gate.alpha / references.size,
    });
    if (evidence.verdict === 'drifted') return backTo(context, version, audited, versions, evidence, round);
    if (evidence.verdict === 'ok') continue;
    isCleared = false;
    const parent = version.parent === null ? undefined : versions[version.parent];
    if (restsOnNotWorse && parent !== undefined) return backTo(context, version, parent, versions, evidence, round);
  }
  if (isCleared) await markAudited(context, version);
  return version;
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
  const reason = evidence.against === 'seed' ? 'lost against the seed pair' : 'lost against the last audited champion';
  const arm = await armOf(context, to);
  return rollBack(context, { from, to: arm, undoes, evidence, round, reason: `v${from.version} ${reason}`, goal: to });
}

async function armOf(context: RunContext, { pair }: Version): Promise<Arm> {
  return { harness: await context.registry.harness(pair.harness), pair };
}

function auditedKey(context: RunContext, version: Version) {
  return contentHash({ step: 'audited', seed: context.seed, version: version.version });
}

async function markAudited(context: RunContext, version: Version): Promise<void> {
  const key = auditedKey(context, version);
  await context.journal.put({ key, kind: 'audited', value: { version: version.version } });
}

/** The newest ancestor of a version that passed its audit; the seed pair passed by being the yardstick. */
async function lastAudited(context: RunContext, version: Version, versions: readonly Version[]): Promise<Version> {
  let current: Version = version;
  while (current.parent !== null) {
    current = versions[current.parent] as Version;
    if ((await context.journal.get(auditedKey(context, current))) !== undefined) return current;
  }
  return current;
}
