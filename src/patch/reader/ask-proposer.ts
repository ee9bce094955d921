import { contentHash } from '../../base/content-hash.ts';
import { CoHarnessError } from '../../base/errors.ts';
import { countingReader, type ReaderUsage } from '../../critic/reader/ask-reader.ts';
import type { CriticReader } from '../../critic/reader/critic-reader.ts';
import { applyEdits } from '../../harness/apply-patch.ts';
import { componentOfPath } from '../../harness/component-of-path.ts';
import type { PatchEdit } from '../../harness/patch-edit.ts';
import { relaxationsOf } from '../budget-changes.ts';
import type { Patch, PatchProbe } from '../patch.ts';
import type { ProposalContext } from '../patch-operator.ts';
import { scopeOf } from '../patch-scope.ts';
import { proposalPrompt } from './proposal-prompt.ts';
import { type CheckedProposals, readProposals, type WrittenProposal } from './read-proposals.ts';

/** What came of asking a model or a program for diffs. */
export interface AskedProposals {
  /** In the reader's order; not yet checked like any other diff. */
  patches: Patch[];
  usage: ReaderUsage;
  /** Why replies were refused; of two refused replies nothing is used. */
  refusals: string[];
}

/**
 * Asks a reader for at most `count` diffs. A refused reply is asked again once, with half the room for material. Rejects with AbortedError or
 * `budget-exhausted`.
 */
export async function askProposer(
  reader: CriticReader,
  context: ProposalContext,
  { count, signal }: { count: number; signal?: AbortSignal },
): Promise<AskedProposals> {
  const usage: ReaderUsage = { calls: 0, promptTokens: 0, completionTokens: 0 };
  const counted = countingReader(reader, usage);
  const refusals: string[] = [];
  const ask = async (characters: number): Promise<CheckedProposals> => {
    const prompt = proposalPrompt(context, { count, characters });
    const reply = await counted.read(prompt, { vote: refusals.length, ...(signal === undefined ? {} : { signal }) });
    const checked = readProposals(reply);
    if (!checked.ok) refusals.push(checked.why);
    return checked;
  };
  const first = await ask(reader.promptCharacters);
  const checked = first.ok ? first : await ask(Math.floor(reader.promptCharacters / 2));
  const proposals = checked.ok ? checked.proposals.slice(0, count) : [];
  return { patches: proposals.map((proposal) => patchOf(proposal, reader.name, context)), usage, refusals };
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
  const written = JSON.stringify(edits.map(({ value }) => value));
  const shown = trainTasks.filter(({ problem }) => written.includes(JSON.stringify(problem).slice(1, -1)));
  return {
    id: contentHash({ base: harness.hash, edits }),
    base: harness.hash,
    title: proposal.title,
    proposer: reader,
    target,
    edits,
    scope: scopeOf(edits),
    probe: probeOf(edits),
    relaxes: relaxedBy(harness, edits),
    usesTasks: shown.map(({ hash }) => hash),
    predictedFix: target === null ? null : proposal.predicted_fixes,
    predictedRegression: proposal.predicted_regressions,
    predictedCost: proposal.predicted_cost,
  };
}

/** A middleware is seen by what it does, a text by other messages, everything else by another course. */
function probeOf(edits: readonly PatchEdit[]): PatchProbe {
  const places = edits.flatMap(({ path, value }) => {
    const place = componentOfPath(path);
    return place === null ? [] : [{ ...place, isRemoved: value === undefined }];
  });
  const hook = places.find(({ kind, isRemoved }) => kind === 'middleware' && !isRemoved);
  if (hook !== undefined) return { kind: 'hook-fired', middleware: hook.name };
  const isText = places.some(({ kind }) => ['prompt', 'example', 'tool', 'skill'].includes(kind));
  return { kind: isText ? 'prompt-changed' : 'setting-changed' };
}

function relaxedBy(harness: ProposalContext['harness'], edits: readonly PatchEdit[]): Patch['relaxes'] {
  try {
    return relaxationsOf(harness, applyEdits(harness, edits));
  } catch (error) {
    // What does not apply is refused by the checks that every diff passes.
    if (CoHarnessError.isInstance(error) && error.code !== 'invariant') return [];
    throw error;
  }
}
