import type { ContentHash } from '../base/content-hash.ts';
import type { Journal } from '../base/journal.ts';
import type { Critique } from '../evolution/diagnose-failures.ts';
import type { BoughtFor } from '../evolution/roll-out.ts';
import type { TrainingRecord } from '../registry/version.ts';
import type { ReplayResult } from '../replay/replay-cause.ts';
import type { VerifierUsage } from '../task/verifier.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';

/** What one purpose cost. `seconds` sums the rollouts' own wall times, which overlap in a batch; for training it is elapsed time. */
export interface LedgerLine {
  purpose:
    | 'train rollouts'
    | 'verifier'
    | 'critic'
    | 'proposer'
    | 'replay'
    | 'samples for D_t'
    | 'gate'
    | 'audit'
    | 'sealed test'
    | 'training';
  rollouts: number;
  modelCalls: number;
  promptTokens: number;
  completionTokens: number;
  seconds: number;
}

/** Costs by purpose, summed from the journal: the sums equal what is stored there, nothing else is counted. */
export async function ledgerOf(
  journal: Journal,
): Promise<{ lines: LedgerLine[]; tokens: number; rollouts: number; seconds: number }> {
  const lines = new Map<LedgerLine['purpose'], LedgerLine>();
  const noted = await notedPurposes(journal);
  for (const entry of await journal.entries('rollout')) {
    const trajectory = entry.value as Trajectory;
    const purpose = noted.get(entry.key) ?? purposeOf(trajectory);
    const line = lines.get(purpose) ?? emptyLine(purpose);
    lines.set(purpose, {
      purpose,
      rollouts: line.rollouts + 1,
      modelCalls: line.modelCalls + trajectory.events.filter((event) => event.type === 'model-called').length,
      promptTokens: line.promptTokens + trajectory.usage.promptTokens,
      completionTokens: line.completionTokens + trajectory.usage.completionTokens,
      seconds: line.seconds + trajectory.wallMs / 1000,
    });
    if (trajectory.verifierUsage !== undefined) addVerifier(lines, trajectory.verifierUsage);
  }
  for (const entry of await journal.entries('replay')) {
    const { usage } = entry.value as Pick<ReplayResult, 'usage'>;
    const line = lines.get('replay') ?? emptyLine('replay');
    lines.set('replay', {
      ...line,
      modelCalls: line.modelCalls + usage.modelCalls,
      promptTokens: line.promptTokens + usage.promptTokens,
      completionTokens: line.completionTokens + usage.completionTokens,
    });
  }
  const asked = [...(await journal.entries('critique')), ...(await journal.entries('proposal'))];
  for (const { value, kind } of asked) {
    const { usage } = value as Pick<Critique, 'usage'>;
    const purpose = kind === 'proposal' ? 'proposer' : 'critic';
    const line = lines.get(purpose) ?? emptyLine(purpose);
    lines.set(purpose, {
      ...line,
      modelCalls: line.modelCalls + usage.calls,
      promptTokens: line.promptTokens + usage.promptTokens,
      completionTokens: line.completionTokens + usage.completionTokens,
    });
  }
  for (const entry of await journal.entries('training')) {
    const { record } = entry.value as { record: TrainingRecord };
    const line = lines.get('training') ?? emptyLine('training');
    lines.set('training', { ...line, seconds: line.seconds + record.seconds });
  }
  const all = [...lines.values()];
  return {
    lines: all,
    tokens: all.reduce((sum, line) => sum + line.promptTokens + line.completionTokens, 0),
    rollouts: all.reduce((sum, line) => sum + line.rollouts, 0),
    seconds: all.reduce((sum, line) => sum + line.seconds, 0),
  };
}

/** Purposes that steps noted before they bought, by the rollout's key. Runs from before audits noted theirs have them under `gate`. */
async function notedPurposes(journal: Journal): Promise<Map<ContentHash, LedgerLine['purpose']>> {
  const notes = (await journal.entries('bought-for')).map(({ value }) => value as BoughtFor);
  return new Map(notes.flatMap(({ purpose, rollouts }) => rollouts.map((key) => [key, purpose] as const)));
}

function addVerifier(lines: Map<LedgerLine['purpose'], LedgerLine>, usage: VerifierUsage): void {
  const line = lines.get('verifier') ?? emptyLine('verifier');
  lines.set('verifier', {
    ...line,
    modelCalls: line.modelCalls + usage.calls,
    promptTokens: line.promptTokens + usage.promptTokens,
    completionTokens: line.completionTokens + usage.completionTokens,
  });
}

function purposeOf({ identity }: Trajectory): LedgerLine['purpose'] {
  if (identity.split === 'gate') return 'gate';
  if (identity.split === 'test') return 'sealed test';
  return identity.sampling === null ? 'train rollouts' : 'samples for D_t';
}

function emptyLine(purpose: LedgerLine['purpose']): LedgerLine {
  return { purpose, rollouts: 0, modelCalls: 0, promptTokens: 0, completionTokens: 0, seconds: 0 };
}
