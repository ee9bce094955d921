import { contentHash } from '../base/content-hash.ts';
import { checkAnswer, goldProblem } from './answer-equivalence/check-answer.ts';
import type { Extraction } from './answer-equivalence/extract-answer.ts';
import type { Task } from './task.ts';
import type { Verdict, Verifier } from './verifier.ts';

/** Raise it whenever a verdict could change: it is part of `version`. */
const CODE_VERSION = 2;

export interface AnswerOptions {
  /** Where the answer may stand in the final text. */
  extraction: Extraction;
}

/**
 * Scores 1 when the final text gives an answer that is mathematically the task's, else 0; what cannot be decided scores 0. `task.answer` is a number or LaTeX.
 * `unscored` only when the gold itself cannot be read. Policy and examples: docs/verifiers.md.
 */
export function answerVerifier({ extraction }: AnswerOptions): Verifier {
  return {
    version: contentHash({ kind: 'answer', extraction, code: CODE_VERSION }),
    verify: async (task, answer) => judge(task, answer, extraction),
  };
}

function judge(task: Task, answer: string | null, extraction: Extraction): Verdict {
  const problem = answerGoldProblem(task.answer);
  if (problem !== null) return { kind: 'unscored', why: `the answer of task ${task.id} cannot be used: ${problem}` };
  if (answer === null) return { kind: 'scored', score: 0, extracted: null, why: 'no final answer' };
  const { verdict, why, extracted } = checkAnswer({
    prediction: answer,
    gold: String(task.answer),
    question: task.problem,
    extraction,
  });
  return {
    kind: 'scored',
    score: verdict === 'equal' ? 1 : 0,
    extracted,
    why: verdict === 'undecided' ? `undecided: ${why}` : why,
  };
}

/** Why a gold cannot be compared with, null where it can. */
export function answerGoldProblem(answer: Task['answer']): string | null {
  if (typeof answer !== 'string' && typeof answer !== 'number') return 'it is neither text nor a number';
  return goldProblem(String(answer));
}
