import { AbortedError, CoHarnessError } from '../base/errors.ts';
import type { GateDecision } from './decision.ts';
import { concludeFixed } from './fixed-size-rules.ts';
import { GateEvidenceSoFar } from './gate-evidence.ts';
import { type JudgeRequest, UNSCORED_LIMIT } from './judge-request.ts';
import { SequentialDecision, type SequentialState } from './sequential-decision.ts';
import { type Conclusion, concludeBetting, goalIsNotWorse, waitsForTime, writeDecision } from './write-decision.ts';

export type { ChangeKind, JudgeRequest } from './judge-request.ts';
export type { PairedOutcome } from './paired-outcome.ts';

/**
 * Draws batches until the question is decided or cannot be any more. Rejects with AbortedError, with what `drawBatch`
 * rejects, and with CoHarnessError for input that cannot be evidence: `no-gate-tasks`, `score-out-of-range`,
 * `duplicate-pair`, `split-group`, `task-changed`, `gate-plan-mismatch`.
 */
export async function judge(request: JudgeRequest): Promise<GateDecision> {
  const { plan, unscoredLimit = UNSCORED_LIMIT } = request;
  checkRequest(request);
  const evidence = new GateEvidenceSoFar(
    new SequentialDecision({
      alpha: request.alpha,
      margin: goalIsNotWorse(request) ? request.margin : Math.max(request.margin, plan.marginTested),
      marginAsked: request.margin,
      goal: goalIsNotWorse(request) ? 'not-worse' : 'improvement',
      groups: plan.groups,
      groupVariance: plan.groupVariance,
      minimumDetectableEffect: plan.minimumDetectableEffect,
    }),
    plan,
  );
  const decide = (conclusion: Conclusion) => writeDecision(request, evidence, conclusion);

  let state: SequentialState = 'open';
  let drawn = 0;
  for (const batch of plan.batches) {
    if (request.signal?.aborted) throw new AbortedError();
    const pairs = await request.drawBatch(drawn, drawn + batch);
    drawn += batch;
    if (pairs.length === 0) break;
    evidence.add(pairs);
    const outage = evidence.ledger.block(unscoredLimit, true);
    if (outage !== null) return decide({ verdict: 'indecisive', ...outage });
    if (evidence.allTied && !request.seen().alive) break;
    if (request.rule === 'betting') state = evidence.sequence.state();
    if (state === 'not-worse' && waitsForTime(request, evidence)) continue;
    if (state !== 'open') break;
  }

  if (evidence.ledger.pairs === 0) throw noTasks();
  const blocked = evidence.ledger.block(unscoredLimit, false);
  if (blocked !== null) return decide({ verdict: 'indecisive', ...blocked });
  const { alive, why } = request.seen();
  if (!alive) return decide({ verdict: 'dead', reason: 'not-alive', explanation: why });
  return decide(
    request.rule === 'betting' ? concludeBetting(request, evidence, state) : concludeFixed(request, evidence),
  );
}

function checkRequest({ plan, rule, alpha }: JudgeRequest): void {
  if (plan.rule === rule && plan.alpha === alpha) return;
  throw new CoHarnessError(
    'gate-plan-mismatch',
    `The plan is for rule ${plan.rule} at error ${plan.alpha}, the decision asks for ${rule} at ${alpha}. Plan the gate with the same rule and alpha.`,
    { details: { plan: { rule: plan.rule, alpha: plan.alpha }, rule, alpha } },
  );
}

function noTasks(): CoHarnessError {
  return new CoHarnessError(
    'no-gate-tasks',
    'The gate got no pair of rollouts at all: nothing can be decided on zero tasks. Add tasks to the gate split.',
  );
}
