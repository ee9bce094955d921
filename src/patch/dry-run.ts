import type { Harness } from '../harness/harness.ts';

/**
 * Tries what a diff brings into φ as code (tools, hooks) before a rollout is paid: loads it, calls it on recorded events. Resolves to what is wrong
 * with it, null when nothing is. Must not reject for anything the code did.
 */
export type DryRun = (parent: Harness, child: Harness) => Promise<string | null>;
