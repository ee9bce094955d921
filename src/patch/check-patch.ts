import { type ContentHash, contentHash } from '../base/content-hash.ts';
import { CoHarnessError } from '../base/errors.ts';
import { applyEdits } from '../harness/apply-patch.ts';
import type { Harness } from '../harness/harness.ts';
import type { PatchEdit } from '../harness/patch-edit.ts';
import { leakScanner } from '../task/problem-ngrams.ts';
import type { TaskSplits } from '../task/task.ts';
import { editsHash } from './edits-hash.ts';
import type { Patch } from './patch.ts';
import { outsideScope } from './patch-scope.ts';

/** Sizes above which a diff is refused unseen: it could only be a paste of data, and every rollout would pay for it. */
const PATCH_LIMITS = {
  promptCharacters: 20_000,
  examples: 64,
  edits: 256,
  harnessCharacters: 1_000_000,
} as const;

export type PatchRefusal =
  | 'written-for-another-harness'
  | 'refused-before'
  | 'too-large'
  | 'forbidden-place'
  | 'outside-scope'
  | 'does-not-apply'
  | 'changes-nothing'
  | 'uses-sealed-task'
  | 'leaks-sealed-task';

/** What was refused before under the same weights: hash of the edits ({@link editsHash}) or of the φ they made → the version that says why. */
export type RefusedBefore = ReadonlyMap<ContentHash, string>;

export type PatchCheck = { ok: true } | { ok: false; refused: PatchRefusal; explanation: string };

/**
 * Everything that can be known of a patch before a rollout is paid, without running what is in it. Pure; throws nothing for a bad patch.
 */
export function checkPatch(
  patch: Patch,
  harness: Harness,
  { splits, refused }: { splits: TaskSplits; refused: RefusedBefore },
): PatchCheck {
  if (patch.base !== harness.hash) {
    return refuse('written-for-another-harness', `It was written for harness ${patch.base}, not for ${harness.hash}.`);
  }
  const outside = outsideScope(patch.edits, patch.scope);
  if (outside !== null) {
    const declared = patch.scope.join(', ') || 'nothing';
    return refuse('outside-scope', `${outside.path} is ${outside.kind}; the diff declares to change ${declared}.`);
  }
  const child = childOf(harness, patch);
  if (!('hash' in child)) return child;
  const before =
    refused.get(editsHash(patch.edits)) ?? refused.get(contentHash(patch.edits)) ?? refused.get(child.hash);
  if (before !== undefined) {
    return refuse('refused-before', `An equivalent diff was decided before under the same weights: ${before}.`);
  }
  if (child.hash === harness.hash) return refuse('changes-nothing', 'The harness would stay the same.');
  return oversized(patch, child) ?? sealed(patch, splits) ?? { ok: true };
}

function refuse(refused: PatchRefusal, explanation: string): Extract<PatchCheck, { ok: false }> {
  return { ok: false, refused, explanation };
}

function childOf(harness: Harness, patch: Patch): Harness | Extract<PatchCheck, { ok: false }> {
  try {
    return applyEdits(harness, patch.edits);
  } catch (error) {
    if (!CoHarnessError.isInstance(error) || error.code === 'invariant') throw error;
    return refuse(error.code === 'patch-forbidden' ? 'forbidden-place' : 'does-not-apply', error.message);
  }
}

function oversized(patch: Patch, child: Harness): PatchCheck | null {
  const longest = Math.max(0, ...Object.values(child.prompts).map((text) => text.length));
  const all = [...child.files.values()].reduce((sum, text) => sum + text.length, 0);
  if (patch.edits.length > PATCH_LIMITS.edits) {
    return refuse(
      'too-large',
      `It has ${patch.edits.length} edits; at most ${PATCH_LIMITS.edits} are one local change.`,
    );
  }
  if (longest > PATCH_LIMITS.promptCharacters) {
    return refuse(
      'too-large',
      `A prompt would have ${longest} characters; at most ${PATCH_LIMITS.promptCharacters} are allowed.`,
    );
  }
  if (child.examples.length > PATCH_LIMITS.examples) {
    return refuse(
      'too-large',
      `There would be ${child.examples.length} examples; at most ${PATCH_LIMITS.examples} are allowed.`,
    );
  }
  if (all > PATCH_LIMITS.harnessCharacters) {
    return refuse(
      'too-large',
      `The harness would have ${all} characters; at most ${PATCH_LIMITS.harnessCharacters} are allowed.`,
    );
  }
  return null;
}

function sealed(patch: Patch, splits: TaskSplits): PatchCheck | null {
  const train = new Set<string>(splits.train.map((task) => task.hash));
  const foreign = patch.usesTasks.find((hash) => !train.has(hash));
  if (foreign !== undefined)
    return refuse('uses-sealed-task', `It uses the task ${foreign}, which is not a train task.`);
  const scan = scannerOf(splits);
  for (const edit of patch.edits) {
    const [leak] = scan(broughtIn(edit).join('\n'));
    if (leak === undefined) continue;
    // A new place may itself be what gives the task away.
    const where = edit.old === undefined ? 'What it adds' : edit.path;
    return refuse('leaks-sealed-task', `${where} gives a gate or test task away (${leak.why}).`);
  }
  return null;
}

const scanners = new WeakMap<TaskSplits, ReturnType<typeof leakScanner>>();

/** Made once per splits: it indexes every sealed problem. */
function scannerOf(splits: TaskSplits): ReturnType<typeof leakScanner> {
  const known = scanners.get(splits) ?? leakScanner([...splits.gate, ...splits.test], splits.train);
  scanners.set(splits, known);
  return known;
}

/** All words that an edit brings in: its place where that is new, and the keys, texts and numbers of its value at any depth. */
function broughtIn({ path, old, value }: PatchEdit): string[] {
  const words = (part: unknown): string[] => {
    if (typeof part === 'string' || typeof part === 'number') return [String(part)];
    if (typeof part !== 'object' || part === null) return [];
    return Array.isArray(part) ? part.flatMap(words) : Object.entries(part).flatMap((entry) => entry.flatMap(words));
  };
  if (value === undefined) return [];
  return old === undefined ? [path, ...words(value)] : words(value);
}
