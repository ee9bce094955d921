import type { Harness } from '../../harness/harness.ts';
import type { Trajectory } from '../../trajectory/trajectory.ts';
import { evidence } from '../event-evidence.ts';
import { evidenceRule, type Finding } from '../evidence-rule.ts';
import { firstRequest } from '../sent-text.ts';
import { breaksOff } from './skill-not-given.ts';

/** A prompt ends in the middle of a sentence: what it was about to say is missing. */
export const promptBreaksOff = evidenceRule('prompt-breaks-off', 'prompt_ambiguity', (trajectory, harness) =>
  finding(trajectory, harness, (text) => !/\}\}\s*$/.test(text) && breaksOff(text)),
);

/** A line of a prompt stops at a word that nothing can end with and the next one does not go on with it, or it stops inside brackets or quotes. */
export const promptLineBreaksOff = evidenceRule('prompt-line-breaks-off', 'prompt_ambiguity', (trajectory, harness) =>
  finding(trajectory, harness, (text) => text.split('\n').some(isBrokenLine)),
);

const CUT_WORD = /(?<![:"'`(])\b(the|a|an|to|of|and|or|with|for|in|on|is|then|that|from|by|as|at|if|when|your|have)$/i;

function isBrokenLine(line: string, index: number, lines: readonly string[]): boolean {
  const text = line.replace(/\{\{[^}]*\}\}/g, 'field').trim();
  const count = (mark: string) => text.split(mark).length - 1;
  // A sentence that goes on below was only wrapped.
  const isWrapped = /^\s*\p{Ll}/u.test(lines[index + 1] ?? '');
  // Brackets may well close on a later line; a line of JSON that stops inside a quote cannot.
  return (CUT_WORD.test(text) && !isWrapped) || (count('{') > count('}') && count('"') % 2 === 1);
}

function finding(trajectory: Trajectory, harness: Harness, isBroken: (text: string) => boolean): Finding | null {
  const first = firstRequest(trajectory);
  const broken = Object.entries(harness.prompts).find(([, text]) => isBroken(text));
  if (first === undefined || broken === undefined) return null;
  const [name, text] = broken;
  return {
    mechanism: 'prompt-breaks-off',
    component: 'prompt',
    path: `prompts/${name}.md`,
    explanation: `prompts/${name}.md breaks off in the middle of a sentence.`,
    severity: 0.9,
    confidence: 0.7,
    evidence: [evidence(first, `…${text.slice(-120)}`)],
  };
}
