import { CoHarnessError } from '../base/errors.ts';
import { valueAt } from '../base/json-pointer.ts';
import type { Harness } from '../harness/harness.ts';
import { isFailure } from '../trajectory/is-success.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import type { Diagnosis } from './attribution.ts';
import type { Case } from './cases/case.ts';
import type { CaseVerdict } from './cases/case-verdict.ts';
import { diagnoseCase } from './cases/diagnose-case.ts';
import { harnessOfRollout } from './cases/harness-of-rollout.ts';
import { passedVerdict } from './cases/passed-case.ts';
import { readSubjects } from './cases/read-cases.ts';
import { firstCause } from './evidence-critic.ts';
import { askReader, type VotedAnswer } from './reader/ask-reader.ts';
import type { CriticReader } from './reader/critic-reader.ts';
import { subjectOfCase } from './reader/subject-of-case.ts';
import { subjectOfRollout } from './reader/subject-of-rollout.ts';

export interface AttributeOptions {
  /** Asked about every case; null = the evidence alone. */
  reader: CriticReader | null;
  votes: number;
  /** φ of our own rollouts by hash; null where it is not at hand. */
  harnessOf: (hash: string) => Promise<Harness | null>;
  onVerdict: (verdict: CaseVerdict) => void;
  /** Gets the verdict of a case of others all of whose runs passed, beside the notice: for readers that want one verdict a case. */
  onPassed?: (verdict: CaseVerdict) => void;
  onNotice: (text: string) => void;
  signal?: AbortSignal;
}

/** A second opinion on the way to one verdict must be this much surer than nothing. */
const LEAST_READER_CONFIDENCE = 0.3;

/**
 * A verdict for every case of a file, in file order, as it is reached. Our own successes and unscored rollouts, and cases of others
 * all of whose runs passed, are left out with a notice and without asking a reader. With a reader its majority decides, and the evidence does where no reply is valid. Throws what {@link readSubjects} throws, and CoHarnessError
 * `sealed-rollout` for rollouts of gate or test tasks.
 */
export async function attribute(file: string, options: AttributeOptions): Promise<void> {
  const subjects = await readSubjects(file);
  for (const subject of subjects) {
    const verdict =
      subject.kind === 'case'
        ? await judgeCase(subject.case, options)
        : await judgeRollout(subject.id, subject.trajectory, options);
    if (verdict !== null) options.onVerdict(verdict);
  }
}

async function judgeCase(subject: Case, options: AttributeOptions): Promise<CaseVerdict | null> {
  const passed = passedVerdict(subject);
  if (passed !== null) {
    options.onNotice(`${subject.id}: passed, nothing to attribute`);
    options.onPassed?.(passed);
    return null;
  }
  const evidence = diagnoseCase(subject);
  const voted = options.reader === null ? null : await askReader(options.reader, subjectOfCase(subject), options);
  return withReader(evidence, voted, options, (path) =>
    valueAt(subject.runs.find(({ passed }) => passed !== true)?.harness ?? null, path),
  );
}

async function judgeRollout(
  id: string,
  trajectory: Trajectory,
  options: AttributeOptions,
): Promise<CaseVerdict | null> {
  const { split, harness: hash } = trajectory.identity;
  if (split === 'gate' || split === 'test') {
    throw new CoHarnessError(
      'sealed-rollout',
      `${id} is a rollout of a ${split} task: no critic may read those. Attribute train or eval rollouts.`,
      { details: { id, split } },
    );
  }
  if (!isFailure(trajectory)) {
    options.onNotice(`${id}: ${trajectory.outcome.kind === 'scored' ? 'passed' : 'unscored'}, nothing to attribute`);
    return null;
  }
  const found = await options.harnessOf(hash);
  if (found === null)
    options.onNotice(`${id}: harness ${hash.slice(0, 8)} is not at hand (--harness FOLDER); judging by what was sent`);
  const harness = found ?? harnessOfRollout(trajectory);
  const evidence = verdictOf(id, firstCause(trajectory, harness), trajectory);
  const voted =
    options.reader === null ? null : await askReader(options.reader, subjectOfRollout(trajectory, harness), options);
  return withReader(evidence, voted, options, () => undefined);
}

function verdictOf(id: string, diagnosis: Diagnosis | null, trajectory: Trajectory): CaseVerdict {
  if (diagnosis === null) {
    const event = trajectory.events[0]?.id ?? 'outcome';
    return {
      id,
      label: 'agent_error',
      component: null,
      confidence: 0,
      evidence: [{ event, quote: 'nothing was recorded' }],
      mechanism: 'The record holds no event to judge by.',
      repair: null,
    };
  }
  const { label, component, confidence, evidence, explanation, repair } = diagnosis;
  return {
    id,
    label,
    component,
    confidence,
    evidence,
    mechanism: explanation,
    repair: repair?.map((edit) => ({ path: edit.path, old: edit.old ?? null, new: edit.value ?? null })) ?? null,
  };
}

function withReader(
  evidence: CaseVerdict,
  voted: VotedAnswer | null,
  { onNotice, reader }: AttributeOptions,
  standing: (path: string) => unknown,
): CaseVerdict {
  if (voted === null) return evidence;
  if (voted.invalid > 0)
    onNotice(
      `${evidence.id}: ${voted.invalid} of ${voted.asked} replies of ${reader?.name} refused: ${voted.refusals[0]}`,
    );
  const { answer, agree, asked } = voted;
  if (answer === null || (answer.confidence * agree) / asked < LEAST_READER_CONFIDENCE) return evidence;
  return {
    id: evidence.id,
    label: answer.label,
    component: answer.component,
    confidence: Math.round(((answer.confidence * agree) / asked) * 100) / 100,
    evidence: answer.evidence,
    mechanism: answer.mechanism,
    repair:
      answer.repair?.map(({ path, old, new: value }) => ({ path, old: old ?? standing(path) ?? null, new: value })) ??
      null,
  };
}
