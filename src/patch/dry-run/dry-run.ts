import type { DryRunOrder, DryRunResult } from './dry-run-order.ts';
import { replayMiddleware } from './replay-middleware.ts';
import { tryTools } from './try-tools.ts';

/**
 * Tries what a diff brings into φ to run, before a rollout is paid and without a model: new or changed tools are loaded in their sandbox and called
 * once, new or changed middleware is replayed over recorded rollouts. Rejects with AbortedError alone.
 */
export async function dryRun(order: DryRunOrder): Promise<DryRunResult> {
  const tools = await tryTools(order);
  if (tools.objection !== null) return tools;
  const middleware = await replayMiddleware(order);
  return { ...middleware, tried: [...tools.tried, ...middleware.tried] };
}
