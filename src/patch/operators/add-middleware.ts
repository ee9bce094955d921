import { stringify } from 'yaml';
import type { Harness } from '../../harness/harness.ts';
import type { MiddlewareKind } from '../../harness/middleware-kinds.ts';
import type { PatchEdit } from '../../harness/patch-edit.ts';
import type { OperatorContext, PatchDraft, PatchOperator } from '../patch-operator.ts';

/** What an operator says of one way to set a kind up. */
export interface MiddlewareSetup {
  title: string;
  /** Those that differ from the kind's defaults. */
  options?: Record<string, unknown>;
  promise: number;
  /** Other edits that only make sense with it. */
  with?: readonly PatchEdit[];
  relaxes?: PatchDraft['relaxes'];
}

/** Where each kind stands in the order: repairs before those that look at what was repaired, the answer last. */
const PLACES: Readonly<Record<Exclude<MiddlewareKind, 'js'>, number>> = {
  'void-turn-nudge': 10,
  'argument-repair': 20,
  'loop-breaker': 30,
  'output-cap': 40,
  'context-trimming': 50,
  'budget-reminder': 60,
  'self-check': 70,
  'verification-turn': 80,
  'answer-commit': 90,
};

/**
 * An operator that adds one kind of middleware where φ has none of it. `cures`: share of the failures of each mechanism it expects to fix; `unasked`: what
 * it promises without a cause.
 */
export function addMiddleware(
  kind: keyof typeof PLACES,
  plan: {
    cures: Readonly<Record<string, number>>;
    unasked?: number;
    setups: (context: OperatorContext) => readonly MiddlewareSetup[];
  },
): PatchOperator {
  return {
    name: kind,
    reach: (cluster) => (cluster === null ? (plan.unasked ?? 0) : (plan.cures[cluster.mechanism] ?? 0)),
    propose: (context) => {
      if (context.harness.middleware.some((middleware) => middleware.kind === kind)) return [];
      const id = freeId(context.harness, kind);
      return plan.setups(context).map(({ title, options, promise, relaxes, ...rest }) => ({
        title,
        edits: [
          { path: `middleware/${id}.yaml`, value: stringify(options === undefined ? { kind } : { kind, options }) },
          ...(rest.with ?? []),
        ],
        component: 'middleware',
        probe: { kind: 'hook-fired', middleware: id },
        promise,
        relaxes: relaxes ?? [],
      }));
    },
  };
}

function freeId(harness: Harness, kind: keyof typeof PLACES): string {
  const taken = new Set(harness.middleware.map(({ id }) => id));
  for (let place = PLACES[kind]; place < 100; place++) {
    const id = `${place}-${kind}`;
    if (!taken.has(id)) return id;
  }
  return `99-${kind}`;
}
