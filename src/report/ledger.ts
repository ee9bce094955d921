import type { ContentHash } from '../base/content-hash.ts';
import type { Journal } from '../base/journal.ts';
import type { Critique } from '../evolution/diagnose-failures.ts';
import type { BoughtFor } from '../evolution/roll-out.ts';
import type { TokenUsage } from '../model/model-backend.ts';
import { totalTokens } from '../model/tokens-of.ts';
import type { TrainingRecord } from '../registry/version.ts';
import type { ReplayResult } from '../replay/replay-cause.ts';
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
  const book = (purpose: LedgerLine['purpose'], cost: Partial<Omit<LedgerLine, 'purpose'>>) => {
    const line = lines.get(purpose) ?? emptyLine(purpose);
    for (const [name, amount] of Object.entries(cost)) line[name as keyof typeof cost] += amount;
    lines.set(purpose, line);
  };
  const noted = await notedPurposes(journal);
  for (const { key, value } of await journal.entries('rollout')) {
    const { events, usage, wallMs, verifierUsage, identity } = value as Trajectory;
    const modelCalls = events.filter((event) => event.type === 'model-called').length;
    const purpose = noted.get(key) ?? purposeOf(identity);
    book(purpose, { rollouts: 1, modelCalls, ...tokensIn(usage), seconds: wallMs / 1000 });
    if (verifierUsage !== undefined) {
      book('verifier', { modelCalls: verifierUsage.calls, ...tokensIn(verifierUsage) });
    }
  }
  for (const { value } of await journal.entries('replay')) {
    const { usage } = value as Pick<ReplayResult, 'usage'>;
    book('replay', { modelCalls: usage.modelCalls, ...tokensIn(usage) });
  }
  for (const [kind, purpose] of [
    ['critique', 'critic'],
    ['proposal', 'proposer'],
  ] as const) {
    for (const { value } of await journal.entries(kind)) {
      const { usage } = value as Pick<Critique, 'usage'>;
      book(purpose, { modelCalls: usage.calls, ...tokensIn(usage) });
    }
  }
  for (const { value } of await journal.entries('training')) {
    book('training', { seconds: (value as { record: TrainingRecord }).record.seconds });
  }
  const all = [...lines.values()];
  return {
    lines: all,
    tokens: totalTokens(all),
    rollouts: all.reduce((sum, line) => sum + line.rollouts, 0),
    seconds: all.reduce((sum, line) => sum + line.seconds, 0),
  };
}

/** Without what else a usage counts. */
function tokensIn({ promptTokens, completionTokens }: TokenUsage): TokenUsage {
  return { promptTokens, completionTokens };
}

/** Purposes that steps noted before they bought, by the rollout's key. Runs from before audits noted theirs have them under `gate`. */
async function notedPurposes(journal: Journal): Promise<Map<ContentHash, LedgerLine['purpose']>> {
  const notes = (await journal.entries('bought-for')).map(({ value }) => value as BoughtFor);
  return new Map(notes.flatMap(({ purpose, rollouts }) => rollouts.map((key) => [key, purpose] as const)));
}

function purposeOf(identity: Trajectory['identity']): LedgerLine['purpose'] {
  if (identity.split === 'gate') return 'gate';
  if (identity.split === 'test') return 'sealed test';
  return identity.sampling === null ? 'train rollouts' : 'samples for D_t';
}

function emptyLine(purpose: LedgerLine['purpose']): LedgerLine {
  return { purpose, rollouts: 0, modelCalls: 0, promptTokens: 0, completionTokens: 0, seconds: 0 };
}
