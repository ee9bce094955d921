import type { Harness } from '../../../harness/harness.ts';
import type { PatchEdit } from '../../../harness/patch-edit.ts';
import { fileEdit, present } from '../../../patch/harness-edits.ts';
import type { LabScenario } from '../scenarios/lab-scenario.ts';

/** Edits that break a scenario's harness in one way that somebody thought of; null where it does not apply. */
export type HandMade = (scenario: LabScenario) => PatchEdit[] | null;

/** The system prompt with one more line at its end. */
export function withLine(harness: Harness, line: string): PatchEdit[] {
  const text = (harness.prompts.system ?? '').trim();
  return present([fileEdit(harness, 'prompts/system.md', `${text}\n${line}\n`)]);
}

/** Path of the first routine; null without one. */
export function firstSkill({ files }: Harness): string | null {
  return [...files.keys()].find((path) => path.startsWith('skills/')) ?? null;
}

/** Text without any use, of about that many characters. */
export function filler(characters: number): string {
  const sentence =
    'Section 12 of the handbook describes how shelves are labelled and who signs for the keys of the yard. ';
  return sentence.repeat(Math.ceil(characters / sentence.length)).slice(0, characters);
}
