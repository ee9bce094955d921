import type { Cluster } from '../aggregate.ts';

/** Mechanisms by which the critic lays a failure to a middleware that acted; see src/critic/evidence-rules/hook-acted.ts. */
export const MIDDLEWARE_MECHANISMS: ReadonlySet<string> = new Set([
  'hook-hid-result',
  'hook-hid-value',
  'hook-set-answer-aside',
  'hook-ended-work',
  'hook-stopped-call',
  'hook-asked-in-vain',
  'hook-changed-answer',
]);

/** The id of the middleware that a cluster lays failures to; null for any other. */
export function hookAt({ path }: Pick<Cluster, 'path'>): string | null {
  return /^middleware\/([^/#]+)\.(?:yaml|js)/.exec(path ?? '')?.[1] ?? null;
}
