import { valueAt } from '../../base/json-pointer.ts';
import type { ComponentKind } from '../../harness/harness.ts';
import type { PatchEdit } from '../../harness/patch-edit.ts';
import type { AttributionLabel } from '../attribution.ts';
import type { Case, CaseRun, CaseStep } from '../cases/case.ts';
import { componentOfPointer, labelOfComponent } from '../harness-facts/component-of-words.ts';
import { factsOfJson } from '../harness-facts/facts-of-json.ts';
import type { FactSetting, FactTool, HarnessFacts } from '../harness-facts/harness-facts.ts';
import { addedText, onlyFitting } from './fitting-repair.ts';

/** One value of a harness and what should stand there instead; `old` is null where nothing stood. */
export interface Repair {
  path: string;
  old: unknown;
  new: unknown;
}

/** One observation that speaks for a cause. Clues add up: none of them decides alone. */
export interface Clue {
  label: AttributionLabel;
  component: ComponentKind | null;
  /** JSON pointer into the harness; null where the evidence names no place. */
  path: string | null;
  mechanism: string;
  explanation: string;
  /** How much it speaks for the label, on the scale of log odds: 1 = a hint, 2 = good evidence, 3 = hardly anything else explains it. */
  weight: number;
  evidence: { event: string; quote: string }[];
  repair: Repair[] | null;
}

/** A case with what every rule asks for, made once. */
export interface CaseView {
  case: Case;
  /** Runs that did not pass; all of them where none is said to have failed. */
  failing: CaseRun[];
  passing: CaseRun[];
  /** Of the first failing run that has one. */
  harness: unknown;
  facts: HarnessFacts;
}

/** Reads a case and tells what it sees. Pure, never throws, knows no tool and no domain. */
export interface CaseRule {
  readonly name: string;
  clues(view: CaseView): Clue[];
}

export function viewOf(subject: Case): CaseView {
  const failed = subject.runs.filter(({ passed }) => passed !== true);
  const failing = failed.length > 0 ? failed : subject.runs;
  const harness = failing.find((run) => run.harness !== null && run.harness !== undefined)?.harness ?? null;
  return {
    case: subject,
    failing,
    passing: failed.length > 0 ? subject.runs.filter(({ passed }) => passed === true) : [],
    harness,
    facts: factsOfJson(harness),
  };
}

/**
 * Edits of a free harness as repairs. Null where one does not fit: facts are read from many spellings (a list of arguments, a type called `str`), and
 * an edit of what was read is none of what stands there.
 */
export function repairsOf(edits: readonly PatchEdit[], harness: unknown): Repair[] | null {
  const repairs = edits.map(({ path, old, value }) => {
    const isAbsentList = Array.isArray(old) && old.length === 0 && valueAt(harness, path) === undefined;
    return { path, old: isAbsentList ? null : (old ?? null), new: value ?? null };
  });
  return onlyFitting(repairs, harness);
}

/** Adds a sentence to what a tool says of itself. Null for a tool that is a bare name: it has no place for one. */
export function describedTool(tool: FactTool, sentence: string, harness: unknown): Repair[] | null {
  if (tool.descriptionPath === tool.namePath) return null;
  return addedText(harness, tool.descriptionPath, sentence, /[.!?:;]\s*$/.test(tool.description) ? ' ' : '. ');
}

/** Adds a sentence to the first prompt, or makes a prompt of it. */
export function addedInstruction({ facts, harness }: CaseView, sentence: string): Repair[] | null {
  return addedText(harness, facts.prompts[0]?.path ?? '/prompt', sentence);
}

const QUOTE_CHARACTERS = 200;

/** A quote on one line, at most 200 characters. */
export function quoteOf(event: string, text: string): { event: string; quote: string } {
  const line = text.replace(/\s+/g, ' ').trim();
  return { event, quote: line.length <= QUOTE_CHARACTERS ? line : `${line.slice(0, QUOTE_CHARACTERS - 1)}…` };
}

/** Where a place of the harness is pointed at in evidence. */
export function harnessEvent(run: CaseRun, path: string): string {
  return `${run.place}/harness${path}`;
}

/** Steps of one role, in order. */
export function stepsOf(run: CaseRun, ...roles: CaseStep['role'][]): CaseStep[] {
  return run.steps.filter(({ role }) => roles.includes(role));
}

/** What the user said in a run, the task included. */
export function askedText(run: CaseRun): string {
  return [run.task, ...stepsOf(run, 'user').map(({ content }) => content)].join(' ');
}

/** The calls that a step answers: those of the last step before it that made any. */
export function callsBefore({ steps }: CaseRun, step: CaseStep): CaseStep['calls'] {
  return steps.slice(0, steps.indexOf(step)).findLast(({ calls }) => calls.length > 0)?.calls ?? [];
}

/** The first setting whose path holds one word of each group. */
export function findSetting(
  { settings }: HarnessFacts,
  ...groups: readonly (readonly string[])[]
): FactSetting | undefined {
  return settings.find(({ words }) => groups.every((group) => group.some((word) => words.includes(word))));
}

/** The first hook of a free harness. */
export function firstHook({ settings }: HarnessFacts): FactSetting | undefined {
  return settings.find(({ component }) => component === 'middleware');
}

/** The loop is to blame, at a setting of it, or at `otherwise` where none is known. Taking the setting away is the repair. */
export function blameLoop(
  setting: FactSetting | undefined,
  otherwise: string,
): Pick<Clue, 'label' | 'component' | 'path' | 'repair'> {
  const path = setting?.path ?? otherwise;
  return {
    label: 'middleware_mismatch',
    component: placeOf(path).component,
    path,
    repair: setting === undefined ? null : [{ path, old: setting.value, new: null }],
  };
}

/** Component and label of a place in a free harness. */
export function placeOf(path: string): { component: ComponentKind; label: AttributionLabel } {
  const component = componentOfPointer(path);
  return { component, label: labelOfComponent(component) };
}
