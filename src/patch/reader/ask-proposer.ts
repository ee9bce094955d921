import { countingReader, type ReaderUsage } from '../../critic/reader/ask-reader.ts';
import { askTwice } from '../../critic/reader/ask-twice.ts';
import type { CriticReader } from '../../critic/reader/critic-reader.ts';
import { componentOfPath } from '../../harness/component-of-path.ts';
import type { PatchEdit } from '../../harness/patch-edit.ts';
import { isBatchedOtherwise, relaxationsOf } from '../budget-changes.ts';
import { editedHarness } from '../edited-harness.ts';
import type { Patch, PatchProbe } from '../patch.ts';
import { patchId } from '../patch-id.ts';
import type { ProposalContext } from '../patch-operator.ts';
import { scopeOf } from '../patch-scope.ts';
import { proposalPrompt } from './proposal-prompt.ts';
import { readProposals, type WrittenProposal } from './read-proposals.ts';

/** What came of asking a model or a program for diffs. */
export interface AskedProposals {
  /** In the reader's order; not yet checked like any other diff. */
  patches: Patch[];
  usage: ReaderUsage;
  /** Why replies were refused; of two refused replies nothing is used. */
  refusals: string[];
}

/**
 * Asks a reader for at most `count` diffs. A refused reply is asked again once, with half the material. Rejects with AbortedError or
 * `budget-spent`.
 */
export async function askProposer(
  reader: CriticReader,
  context: ProposalContext,
  { count, signal }: { count: number; signal?: AbortSignal },
): Promise<AskedProposals> {
  const usage: ReaderUsage = { calls: 0, promptTokens: 0, completionTokens: 0 };
  const replies = await askTwice(
    countingReader(reader, usage),
    (characters) => proposalPrompt(context, { count, characters }),
    readProposals,
    { vote: 0, ...(signal === undefined ? {} : { signal }) },
  );
  const proposals = replies.flatMap((reply) => (reply.ok ? reply.value.proposals.slice(0, count) : []));
  return {
    patches: proposals.map((proposal) => patchOf(proposal, reader.name, context)),
    usage,
    refusals: replies.flatMap((reply) => (reply.ok ? [] : [reply.why])),
  };
}

function patchOf(proposal: WrittenProposal, reader: string, { harness, clusters, trainTasks }: ProposalContext): Patch {
  const edits = proposal.edits.map(
    ({ path, old, new: value }): PatchEdit => ({
      path,
      ...(old === undefined || old === null ? {} : { old }),
      ...(value === null ? {} : { value }),
    }),
  );
  const cluster = proposal.cause === null ? undefined : clusters[proposal.cause - 1];
  const target =
    cluster === undefined || cluster.label === 'agent_error'
      ? null
      : { label: cluster.label, mechanism: cluster.mechanism };
  const child = editedHarness(harness, edits);
  const written = JSON.stringify(edits.map(({ value }) => value));
  const shown = trainTasks.filter(({ problem }) => written.includes(JSON.stringify(problem).slice(1, -1)));
  return {
    id: patchId({ base: harness.hash, edits }),
    base: harness.hash,
    title: proposal.title,
    proposer: reader,
    target,
    edits,
    scope: scopeOf(edits),
    probe: probeOf(edits, child !== null && isBatchedOtherwise(harness, child)),
    relaxes: child === null ? [] : relaxationsOf(harness, child),
    usesTasks: shown.map(({ hash }) => hash),
    predictedFix: target === null ? null : proposal.predicted_fixes,
    predictedRegression: proposal.predicted_regressions,
    predictedCost: proposal.predicted_cost,
  };
}

/** A middleware is seen by what it does, a text by other messages, a number of rollouts in flight by their batches, everything else by another course. */
function probeOf(edits: readonly PatchEdit[], isBatched: boolean): PatchProbe {
  const places = edits.flatMap(({ path, value }) => {
    const place = componentOfPath(path);
    return place === null ? [] : [{ ...place, isRemoved: value === undefined }];
  });
  const hook = places.find(({ kind, isRemoved }) => kind === 'middleware' && !isRemoved);
  if (hook !== undefined) return { kind: 'hook-fired', middleware: hook.name };
  const isText = places.some(({ kind }) => ['prompt', 'example', 'tool', 'skill'].includes(kind));
  if (isText) return { kind: 'prompt-changed' };
  return { kind: isBatched ? 'in-flight-changed' : 'setting-changed' };
}
