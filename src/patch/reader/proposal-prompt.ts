import { readFileSync } from 'node:fs';
import { contentHash } from '../../base/content-hash.ts';
import type { CriticSubject } from '../../critic/reader/critic-subject.ts';
import { fitSubject } from '../../critic/reader/fit-subject.ts';
import { subjectOfRollout } from '../../critic/reader/subject-of-rollout.ts';
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
): string {
  const fixed = readFileSync(new URL('../prompts/proposer.md', import.meta.url), 'utf8').trim();
  const room = Math.max(300, characters - fixed.length - 200);
  const { text } = fitSubject(subjectOf(context), room);
  return `${fixed}\n\n---\n\n${text}\n\n---\n\nNow write at most ${count} proposals.\n`;
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
  const failures = new Map(own.filter(isFailure).map((trajectory) => [keyOf(trajectory), trajectory]));
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
  const finding = clusters.findIndex(({ rollouts }) => rollouts.includes(keyOf(trajectory)));
  const title = isSuccess(trajectory) ? 'A run that went well' : `A failed run (finding ${finding + 1})`;
  return { title, lines: run?.lines ?? [] };
}

function keyOf({ identity }: Trajectory): string {
  return contentHash(identity);
}
