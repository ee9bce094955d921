import type { HarnessMiddleware } from '../../harness/harness.ts';
import type { MiddlewareKind } from '../../harness/middleware-kinds.ts';
import { answerCommit } from './answer-commit.ts';
import { argumentRepair } from './argument-repair.ts';
import { budgetReminder } from './budget-reminder.ts';
import { contextTrimming } from './context-trimming.ts';
import { jsHook } from './js-hook.ts';
import { loopBreaker } from './loop-breaker.ts';
import type { Middleware, MiddlewareFactory, MiddlewareSurroundings } from './middleware.ts';
import { outputCap } from './output-cap.ts';
import { selfCheck } from './self-check.ts';
import { verificationTurn } from './verification-turn.ts';
import { voidTurnNudge } from './void-turn-nudge.ts';

/** Every kind that a harness can name. */
const MIDDLEWARE_LIBRARY: { readonly [Kind in MiddlewareKind]: MiddlewareFactory<Kind> } = {
  'loop-breaker': loopBreaker,
  'void-turn-nudge': voidTurnNudge,
  'output-cap': outputCap,
  'answer-commit': answerCommit,
  'self-check': selfCheck,
  'argument-repair': argumentRepair,
  'context-trimming': contextTrimming,
  'budget-reminder': budgetReminder,
  'verification-turn': verificationTurn,
  js: jsHook,
};

/** The middleware of φ for one pass of the loop. */
export function openMiddleware({ kind, options }: HarnessMiddleware, surroundings: MiddlewareSurroundings): Middleware {
  // The table pairs each kind with its options; the union type cannot say so.
  const factory = MIDDLEWARE_LIBRARY[kind] as MiddlewareFactory<MiddlewareKind>;
  return factory(options as never, surroundings);
}
