import { contentHash } from '../base/content-hash.ts';
import { once } from '../base/journal.ts';
import type { Diagnosis } from '../critic/attribution.ts';
import { diagnose } from '../critic/evidence-critic.ts';
import type { ReaderUsage } from '../critic/reader/ask-reader.ts';
import type { CriticReader } from '../critic/reader/critic-reader.ts';
import { composedCritic } from '../critic/reader-critic.ts';
import type { Harness } from '../harness/harness.ts';
import { tokensOf } from '../model/tokens-of.ts';
import { rolloutKey } from '../rollout/rollout-identity.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import type { RunContext } from './run-context.ts';

/** What a reader said of the failures of one iteration, and what it cost; a journal row of kind `critique`. */
export interface Critique {
  diagnoses: Diagnosis[];
  usage: ReaderUsage;
  /** Replies that were refused twice. */
  invalid: number;
}

/** Tokens that an answer may take, for the reservation. */
const ANSWER_TOKENS = 4_096;
const CHARACTERS_PER_TOKEN = 3;

/**
 * The critic's word on the failures among train rollouts of one harness: rules alone, or rules and the run's reader. A reader is asked once; after a
 * kill its answers come from the journal. Its tokens are paid from the run's budget.
 */
export async function diagnoseFailures(
  context: RunContext,
  mined: readonly Trajectory[],
  harness: Harness,
  round: number,
): Promise<Diagnosis[]> {
  const { reader, config, journal, signal } = context;
  if (reader === null) return diagnose(mined, harness);
  const { votes, failures: mostFailures } = config.critic;
  const rollouts = mined.map(({ identity }) => rolloutKey(identity)).sort();
  const key = contentHash({ step: 'critique', reader: reader.name, votes, mostFailures, rollouts });
  const critique = await once<Critique>(journal, 'critique', key, async () => {
    const usage: ReaderUsage = { calls: 0, promptTokens: 0, completionTokens: 0 };
    let invalid = 0;
    const critic = composedCritic(paidReader(reader, context), {
      votes,
      mostFailures,
      signal,
      onVoted: (_rollout, voted) => {
        usage.calls += voted.usage.calls;
        usage.promptTokens += voted.usage.promptTokens;
        usage.completionTokens += voted.usage.completionTokens;
        invalid += voted.invalid;
      },
    });
    return { diagnoses: await critic.diagnose(mined, harness), usage, invalid };
  });
  const { usage, invalid } = critique;
  const text = `${reader.name} answered ${usage.calls} questions (${tokensOf(usage)} tokens), ${invalid} votes were invalid`;
  context.emit({ type: 'notice', seed: context.seed, round, text });
  return critique.diagnoses;
}

/** The same reader, every question paid from the run's one token budget. */
export function paidReader(reader: CriticReader, { tokens }: RunContext): CriticReader {
  return {
    ...reader,
    read: async (prompt, options) => {
      const estimate = Math.ceil(prompt.length / CHARACTERS_PER_TOKEN) + ANSWER_TOKENS;
      const paid = await tokens.pay('question', estimate, async () => {
        const reply = await reader.read(prompt, options);
        const usage = reply.kind === 'text' ? reply.usage : undefined;
        return { reply, usage: usage ?? { promptTokens: 0, completionTokens: 0 } };
      });
      return paid.reply;
    },
  };
}
