import { readFileSync } from 'node:fs';
import type { CriticSubject } from '../../critic/reader/critic-subject.ts';
import { subjectOfRollout } from '../../critic/reader/subject-of-rollout.ts';
import { type SubjectPrompt, subjectPrompt } from '../../critic/reader/subject-prompt.ts';
import { rolloutKey } from '../../rollout/rollout-identity.ts';
import { isFailure, isSuccess } from '../../trajectory/is-success.ts';
import type { Trajectory } from '../../trajectory/trajectory.ts';
import type { ProposalContext } from '../patch-operator.ts';

const MOST_FINDINGS = 8;
const MOST_FAILURES = 6;
const MOST_SUCCESSES = 2;

/**
 * The prompt for a proposer: the file src/patch/prompts/proposer.md, then findings, φ and raw runs under it, failures of the heaviest findings first;
 * at most `characters` where the fixed part leaves room. What is left out is said in it.
 */
export function proposalPrompt(
  context: ProposalContext,
  { count, characters }: { count: number; characters: number },
): SubjectPrompt {
  const instructions = readFileSync(new URL('../prompts/proposer.md', import.meta.url), 'utf8').trim();
  const request = `Now write at most ${count} proposals.`;
  return subjectPrompt({ instructions, subject: subjectOf(context), request }, characters);
}

function subjectOf(context: ProposalContext): CriticSubject {
  const { harness, clusters, trajectories } = context;
  const own = trajectories.filter(({ identity }) => identity.harness === harness.hash);
  const files = [...harness.files].map(([file, text]) => ({ event: file, text }));
  const findings = clusters.slice(0, MOST_FINDINGS).map(({ label, path, count, explanation, mechanism }, index) => ({
    event: '',
    text: `Finding ${index + 1}: ${count} failures, ${label}${path === null ? '' : ` at ${path}`} (${mechanism}): ${explanation}`,
  }));
  const runs = [...failuresByFinding(context, own), ...own.filter(isSuccess).slice(-MOST_SUCCESSES)];
  return {
    id: 'of this iteration',
    problem: '',
    parts: [
      { title: 'Findings, then the harness (one entry a file)', lines: [...findings, ...files] },
      ...runs.map((trajectory) => runPart(trajectory, context)),
    ],
  };
}

/** One failure of each finding before the second of any, newest rollouts as far as findings name them. */
function failuresByFinding({ clusters }: ProposalContext, own: readonly Trajectory[]): Trajectory[] {
  const failures = new Map<string, Trajectory>(
    own.filter(isFailure).map((trajectory) => [rolloutKey(trajectory.identity), trajectory]),
  );
  const named: Trajectory[] = [];
  for (let rank = 0; named.length < MOST_FAILURES && rank < MOST_FAILURES; rank++) {
    for (const { rollouts } of clusters.slice(0, MOST_FINDINGS)) {
      const found = failures.get(rollouts[rank] ?? '');
      if (found !== undefined && !named.includes(found)) named.push(found);
    }
  }
  return named.slice(0, MOST_FAILURES);
}

function runPart(trajectory: Trajectory, { harness, clusters }: ProposalContext): CriticSubject['parts'][number] {
  const [, run] = subjectOfRollout(trajectory, harness).parts;
  const finding = clusters.findIndex(({ rollouts }) => rollouts.includes(rolloutKey(trajectory.identity)));
  const title = isSuccess(trajectory) ? 'A run that went well' : `A failed run (finding ${finding + 1})`;
  return { title, lines: run?.lines ?? [] };
}
