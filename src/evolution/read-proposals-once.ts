import { contentHash } from '../base/content-hash.ts';
import { once } from '../base/journal.ts';
import type { ReaderUsage } from '../critic/reader/ask-reader.ts';
import { tokensOf } from '../model/tokens-of.ts';
import type { Patch } from '../patch/patch.ts';
import type { ProposalContext } from '../patch/patch-operator.ts';
import { askProposer } from '../patch/reader/ask-proposer.ts';
import { rolloutKey } from '../rollout/rollout-identity.ts';
import { paidReader } from './diagnose-failures.ts';
import type { RunContext } from './run-context.ts';

/** Diffs that a model or a program wrote in one iteration, and what asking cost; a journal row of kind `proposal`. */
export interface WrittenDiffs {
  patches: Patch[];
  usage: ReaderUsage;
  /** Replies that were refused. */
  invalid: number;
}

/** The diffs of the run's proposing reader; none without one. It is asked once: after a kill its answer comes from the journal. */
export async function readProposalsOnce(
  context: RunContext,
  proposal: ProposalContext,
  { round, iteration, count }: { round: number; iteration: number; count: number },
): Promise<Patch[]> {
  const { proposalReader: reader, journal, signal } = context;
  if (reader === null) return [];
  const rollouts = proposal.trajectories.map(({ identity }) => rolloutKey(identity)).sort();
  const clusters = proposal.clusters.map(({ label, mechanism, path, count: failures }) => ({
    label,
    mechanism,
    path,
    failures,
  }));
  const step = { step: 'proposal', reader: reader.name, harness: proposal.harness.hash, round, iteration, count };
  const key = contentHash({ ...step, seed: context.seed, rollouts, clusters });
  const written = await once<WrittenDiffs>(journal, 'proposal', key, async () => {
    const asked = await askProposer(paidReader(reader, context), proposal, { count, signal });
    return { patches: asked.patches, usage: asked.usage, invalid: asked.refusals.length };
  });
  const { usage, invalid, patches } = written;
  const text = `${reader.name} proposed ${patches.length} diffs (${usage.calls} questions, ${tokensOf(usage)} tokens, ${invalid} replies refused)`;
  context.emit({ type: 'notice', seed: context.seed, round, text });
  return patches;
}
