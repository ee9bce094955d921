import { type ContentHash, contentHash } from '../base/content-hash.ts';
import { CoHarnessError } from '../base/errors.ts';
import type { Journal } from '../base/journal.ts';
import { applyEdits } from '../harness/apply-patch.ts';
import type { Harness } from '../harness/harness.ts';
import { patchId } from '../patch/patch-id.ts';
import { descendsFrom, lineageOf, replayDiffs } from './lineage.ts';
import { type AuditEvidence, movesChampion, pairHash, type TrainingRecord, type Version } from './version.ts';

/** What a version is compared with. */
interface Records {
  /** In the order of the registry. */
  versions: readonly Version[];
  harnesses: ReadonlyMap<ContentHash, Harness>;
  /** Content of what the gate and the audits wrote. */
  decisions: ReadonlySet<ContentHash>;
  audits: ReadonlySet<ContentHash>;
  /** Adapter and record of each training. */
  trainings: ReadonlySet<ContentHash>;
}

type Say = (problem: string) => void;

/**
 * Recomputes of each version what makes it one, and a champion: its number, parent and verdict, whether it was accepted, and where its pair comes from. `harnesses`
 * holds those that could be read. Returns the number of decisions.
 */
export async function checkVersions(
  journal: Journal,
  versions: readonly Version[],
  harnesses: ReadonlyMap<ContentHash, Harness>,
  problems: string[],
): Promise<number> {
  const contents = async (kind: string) =>
    new Set((await journal.entries(kind)).map(({ value }) => contentHash(value)));
  const records: Records = {
    versions,
    harnesses,
    decisions: await contents('gate'),
    audits: await contents('audit'),
    trainings: await contents('training'),
  };
  for (const [index, version] of versions.entries()) {
    const say: Say = (problem) => problems.push(`v${version.version}: ${problem}`);
    if (version.version !== index) say(`stands at place ${index} of the registry`);
    if (version.accepted !== movesChampion(version)) {
      say(`it is marked as ${version.accepted ? 'accepted' : 'not accepted'}, which "${version.verdict}" does not say`);
    }
    checkVerdict(version, records, say);
    const parent = parentOf(version, index, versions, say);
    if (parent !== undefined) PAIR_CHECKS[version.kind](version, parent, records, say);
  }
  return versions.filter(({ decision }) => decision !== null).length;
}

/** Only the seed pair and a rollback need no decision. */
function checkVerdict({ kind, verdict, decision }: Version, { decisions }: Records, say: Say): void {
  if (decision !== null) {
    if (!decisions.has(contentHash(decision))) say('its decision is not one that the gate wrote');
    if (decision.verdict !== verdict) say('its verdict is not that of its decision');
  }
  const isJudged = kind === 'harness' || kind === 'weights';
  if (isJudged !== (decision !== null)) say(`of kind ${kind}, it has ${isJudged ? 'no' : 'a'} decision`);
  if (!isJudged && verdict !== kind) say(`of kind ${kind}, it has the verdict ${verdict}`);
}

/** Undefined for the seed pair, and where there is none to go by. */
function parentOf(
  { kind, seed, parent: number }: Version,
  index: number,
  versions: readonly Version[],
  say: Say,
): Version | undefined {
  if ((kind === 'seed') !== (number === null)) say(`of kind ${kind}, it has ${number === null ? 'no' : 'a'} parent`);
  if (number === null) return undefined;
  const parent = number < index ? versions[number] : undefined;
  if (parent === undefined) say(`its parent v${number} is not an earlier version`);
  else if (parent.seed !== seed) say(`its parent v${number} is of another seed`);
  return parent;
}

/** Where the pair of each kind comes from. */
const PAIR_CHECKS: Record<Version['kind'], (version: Version, parent: Version, records: Records, say: Say) => void> = {
  seed: () => {},
  harness: checkChange,
  weights: checkWeights,
  rollback: checkRollback,
};

/** A φ of a diff, under the parent's weights. */
function checkChange(version: Version, parent: Version, { harnesses }: Records, say: Say): void {
  checkSameWeights(version, parent, say);
  const before = harnesses.get(parent.pair.harness);
  if (version.patch === null) say('it has no diff');
  else if (before !== undefined) checkDiff(version, before, say);
}

function checkSameWeights({ pair }: Version, parent: Version, say: Say): void {
  const isSame = contentHash(pair.model) === contentHash(parent.pair.model);
  if (!isSame) say(`its weights are not those of its parent v${parent.version}`);
}

/** New weights under the parent's φ: those that the training in their record left. */
function checkWeights({ pair, training }: Version, parent: Version, { trainings }: Records, say: Say): void {
  if (pair.harness !== parent.pair.harness) say(`its harness is not that of its parent v${parent.version}`);
  if (pair.model.base !== parent.pair.model.base) say(`its base model is not that of its parent v${parent.version}`);
  const { adapter } = pair.model;
  const made: { adapter: ContentHash | null; record: TrainingRecord | null } = { adapter, record: training };
  if (!trainings.has(contentHash(made))) say(`no training of the journal left the adapter ${adapter} with its record`);
}

/** By hand: to a pair that was there. By the loop: to what its audit says. */
function checkRollback(version: Version, parent: Version, records: Records, say: Say): void {
  const { versions } = records;
  const { rolledBack, pair, seed } = version;
  const wasThere = (isAllowed: (earlier: Version) => boolean) =>
    versions
      .slice(0, version.version)
      .some((earlier) => earlier.seed === seed && pairHash(earlier.pair) === pairHash(pair) && isAllowed(earlier));
  if (rolledBack === undefined) {
    if (!wasThere(() => true)) say('it goes back to a pair that no earlier version of its seed has');
    return;
  }
  checkEvidence(rolledBack.evidence, parent, records, say);
  if (!areInOrder(versions)) return;
  const isAncestor = (earlier: Version) => earlier !== parent && descendsFrom(parent, earlier, versions);
  if (rolledBack.evidence.against === 'without-diff') checkWithout(version, parent, rolledBack.undoes, records, say);
  else if (!wasThere(isAncestor)) say(`it goes back to a pair that v${parent.version} does not descend from`);
}

function checkEvidence(evidence: AuditEvidence, parent: Version, { audits }: Records, say: Say): void {
  if (!audits.has(contentHash(evidence))) say('its evidence is not one that an audit wrote');
  if (evidence.verdict === 'ok') say('its evidence says that nothing was lost');
  if (evidence.subject !== parent.version) say(`its evidence is about v${evidence.subject}, not its parent`);
}

/** The parent's φ rebuilt without the diffs that the rollback takes back, under its weights. */
function checkWithout(
  version: Version,
  parent: Version,
  undoes: readonly number[],
  { versions, harnesses }: Records,
  say: Say,
): void {
  const { pair } = version;
  checkSameWeights(version, parent, say);
  const start = versions.find(({ kind, seed }) => kind === 'seed' && seed === parent.seed);
  const seedHarness = start === undefined ? undefined : harnesses.get(start.pair.harness);
  if (seedHarness === undefined) return;
  const made = replayDiffs(seedHarness, lineageOf(parent, versions), new Set(undoes)).harness.hash;
  if (made !== pair.harness) say(`without what it takes back its parent is harness ${made}, not ${pair.harness}`);
}

/** Otherwise a lineage need not have a beginning. */
function areInOrder(versions: readonly Version[]): boolean {
  return versions.every(
    ({ version, parent }, index) => version === index && (parent === null || (parent >= 0 && parent < index)),
  );
}

/** The diff of a version, applied to its parent's φ, must give its own. */
function checkDiff({ patch, pair }: Version, before: Harness, say: Say): void {
  if (patch === null) return;
  const id = patchId(patch);
  if (id !== patch.id) say(`its diff has the hash ${id}, not ${patch.id}`);
  try {
    const made = applyEdits(before, patch.edits).hash;
    if (made !== pair.harness) say(`its diff makes harness ${made} of its parent's, not ${pair.harness}`);
  } catch (error) {
    if (!CoHarnessError.isInstance(error)) throw error;
    say(`its diff does not apply to its parent: ${error.message}`);
  }
}
