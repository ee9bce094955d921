import { contentHash } from '../base/content-hash.ts';
import { once } from '../base/journal.ts';
import { descendsFrom } from '../registry/lineage.ts';
import type { Version } from '../registry/version.ts';
import type { RunContext } from './run-context.ts';

/**
 * The champion that a round leaves behind: the one it ended with, unless a person rolled back since the last such point. What the round still accepted on the old
 * champion is then left, and where it accepted anything, a new entry says so: the newest accepted version is the champion everywhere. Decided once: a process that
 * goes on from the journal finds a later rollback there, and would take it in an earlier round.
 */
export async function takeRollback(context: RunContext, carried: Version, round: number): Promise<Version> {
  const { journal, registry, seed } = context;
  const taken = await once<number>(journal, 'round-end', contentHash({ step: 'round-end', seed, round }), async () => {
    const asked = await rollbackAskedFor(context, carried, round);
    if (asked === undefined) return carried.version;
    const isGoneOnFrom = asked.version > carried.version || (await hasChild(context, asked));
    return isGoneOnFrom ? asked.version : (await askedAgain(context, carried, asked, round)).version;
  });
  const version = (await registry.versions()).find((entry) => entry.version === taken);
  return version ?? carried;
}

/** The newest rollback by hand that the champion does not descend from. */
async function rollbackAskedFor(
  { registry, seed }: RunContext,
  carried: Version,
  round: number,
): Promise<Version | undefined> {
  const versions = await registry.versions();
  const asked = versions.findLast(
    (version) =>
      version.seed === seed &&
      version.kind === 'rollback' &&
      version.rolledBack === undefined &&
      version.round <= round,
  );
  return asked === undefined || descendsFrom(carried, asked, versions) ? undefined : asked;
}

/** A run from before this was decided once went on from the rollback itself: what it judged on it stays judged on it. */
async function hasChild({ journal }: RunContext, { version }: Version): Promise<boolean> {
  return (await journal.entries('version')).some(({ value }) => (value as Version).parent === version);
}

async function askedAgain(
  { registry, seed, emit }: RunContext,
  carried: Version,
  asked: Version,
  round: number,
): Promise<Version> {
  const stepKey = contentHash({ step: 'rollback taken', seed, round, from: carried.version, asked: asked.version });
  const explanation = `${asked.explanation} (v${asked.version}; v${carried.version} was accepted meanwhile)`;
  const entry = { ...asked, round, parent: carried.version, explanation };
  const version = await registry.record(stepKey, entry, await registry.harness(asked.pair.harness));
  emit({ type: 'version-recorded', seed, round, version });
  return version;
}
