import { evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';
import { firstRequest } from '../sent-text.ts';
import { breaksOff } from './skill-not-given.ts';

/** A prompt ends in the middle of a sentence: what it was about to say is missing. */
export const promptBreaksOff = evidenceRule('prompt-breaks-off', 'prompt_ambiguity', (trajectory, harness) => {
  const first = firstRequest(trajectory);
  const broken = Object.entries(harness.prompts).find(([, text]) => !/\}\}\s*$/.test(text) && breaksOff(text));
  if (first === undefined || broken === undefined) return null;
  const [name, text] = broken;
  return {
    component: 'prompt',
    path: `prompts/${name}.md`,
    explanation: `prompts/${name}.md breaks off in the middle of a sentence.`,
    severity: 0.9,
    confidence: 0.7,
    evidence: [evidence(first, `…${text.slice(-120)}`)],
  };
});
