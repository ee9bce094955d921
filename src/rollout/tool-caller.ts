import { canonicalJson } from '../base/content-hash.ts';
import { CoHarnessError } from '../base/errors.ts';
import { argumentCheck } from '../harness/argument-check.ts';
import type { Harness, HarnessTool } from '../harness/harness.ts';
import { type HouseBackend, houseBackend } from '../harness/house-tools.ts';
import type { ToolCall } from '../trajectory/trajectory.ts';
import { backOff, pauseBefore } from './back-off.ts';
import type { ParsedCall } from './call-dialect.ts';
import { errorText, resultText } from './conversation.ts';
import type { EventLog } from './event-log.ts';
import { spacedJson } from './fill-template.ts';
import type { HouseTools } from './house-tools.ts';
import type { HookChain } from './middleware/hook-chain.ts';
import { soleText } from './tools/builtin-tools.ts';
import type { EpisodeTools } from './tools/episode-tools.ts';
import { ToolError } from './tools/tool-error.ts';
import type { ToolOutcome } from './tools/tool-outcome.ts';
import type { WallLimit } from './wall-limit.ts';

/** `texts`: what the model is shown, one a call, in call order. `answer`: what answer.from = tool takes; null when no call succeeded. */
export interface CallResults {
  texts: string[];
  failures: number;
  answer: string | null;
}

export type RunCalls = (turn: number, calls: readonly ParsedCall[]) => Promise<CallResults>;

export interface ToolCallerParts {
  harness: Harness;
  tools: readonly HarnessTool[];
  log: EventLog;
  limit: WallLimit;
  hooks: HookChain;
  backEnds: EpisodeTools;
  houseTools: HouseTools;
}

/** What one call gave. `value` null: it was refused or failed. */
interface CallResult {
  text: string;
  value: string | null;
  /** A value of the task, the call itself as a value, or an act on memory or skills, which is never an answer. */
  kind: 'value' | 'recorded' | 'house';
}

/**
 * Checks and runs the calls of one turn in order and records each step. Rejects with AbortedError when the rollout ends, or CoHarnessError
 * `sandbox-unavailable` when a back end does not exist in this installation.
 */
export function toolCaller(parts: ToolCallerParts): RunCalls {
  const { harness, tools, log, hooks } = parts;
  const failures = failureCounter(harness.retry.sameFailingCall);
  return async (turn, calls) => {
    const results: CallResults = { texts: [], failures: 0, answer: null };
    const recorded: ToolCall[] = [];
    for (const { call: parsed, raw } of calls) {
      log.record({ type: 'call-parsed', turn, call: parsed, raw });
      const tool = tools.find(({ name }) => name === parsed.tool);
      const { call, stopped } = await hooks.beforeTool(turn, parsed, tool ?? null);
      if (stopped !== null) {
        results.texts.push(resultText(harness, call.tool, stopped));
        continue;
      }
      const { text, value, kind } = await runCall(parts, turn, call, tool, failures.problemOf(call));
      results.texts.push(kind === 'house' ? text : await hooks.afterTool(turn, { call, value, text }));
      if (value === null) {
        failures.add(call);
        results.failures++;
        continue;
      }
      if (kind === 'recorded') recorded.push(call);
      if (kind !== 'house') results.answer = kind === 'recorded' ? recordedAnswer(recorded) : value;
    }
    return results;
  };
}

async function runCall(
  { harness, tools, log, limit, backEnds, houseTools }: ToolCallerParts,
  turn: number,
  call: ToolCall,
  tool: HarnessTool | undefined,
  failedBefore: string | null,
): Promise<CallResult> {
  const house = tool === undefined ? null : houseBackend(tool);
  const failed = (problem: string): CallResult => {
    return { text: errorText(harness, call.tool, problem), value: null, kind: house === null ? 'value' : 'house' };
  };
  const problem = failedBefore ?? refusal(tools, tool, call);
  if (tool === undefined || problem !== null) {
    log.record({ type: 'tool-refused', turn, call, problem: problem ?? '' });
    return failed(problem ?? '');
  }
  const outcome =
    house === null
      ? await runWithRetry(harness, tool, call, turn, { log, limit, backEnds })
      : actOfHouse(houseTools, house, call, turn);
  if (outcome.kind === 'unavailable') throw new CoHarnessError('sandbox-unavailable', outcome.why);
  if (outcome.kind === 'failed') {
    log.record({ type: 'tool-failed', turn, call, errorType: outcome.errorType, problem: outcome.problem });
    return failed(outcome.problem);
  }
  const text = resultText(harness, call.tool, outcome.value);
  if (house !== null) return { text, value: outcome.value, kind: 'house' };
  log.record({ type: 'tool-returned', turn, call, value: outcome.value });
  return { text, value: outcome.value, kind: tool.backend.kind === 'record' ? 'recorded' : 'value' };
}

function refusal(tools: readonly HarnessTool[], tool: HarnessTool | undefined, call: ToolCall): string | null {
  if (tool !== undefined) return argumentCheck(tool.parameters)(call.arguments);
  return `there is no tool "${call.tool}" (known: ${tools.map(({ name }) => name).join(', ')})`;
}

/** What ends by running out is worth another run; what the arguments caused is not. */
const WORTH_ANOTHER_RUN: ReadonlySet<string> = new Set(['timeout', 'memory']);

async function runWithRetry(
  { retry }: Harness,
  tool: HarnessTool,
  call: ToolCall,
  turn: number,
  { log, limit, backEnds }: Pick<ToolCallerParts, 'log' | 'limit' | 'backEnds'>,
): Promise<ToolOutcome> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await backEnds.run(tool, call.arguments, limit.signal);
    if (outcome.kind !== 'failed' || attempt > retry.toolRuns || !WORTH_ANOTHER_RUN.has(outcome.errorType))
      return outcome;
    const pauseMs = pauseBefore(attempt, retry);
    log.record({ type: 'retried', turn, what: 'tool', attempt, pauseMs, why: outcome.problem });
    await backOff(pauseMs, limit.signal);
  }
}

function actOfHouse(houseTools: HouseTools, house: HouseBackend, call: ToolCall, turn: number): ToolOutcome {
  const act = houseTools[house];
  if (act === undefined)
    return { kind: 'failed', errorType: 'unavailable', problem: `${house} does nothing in this harness` };
  try {
    return { kind: 'returned', value: act(soleText(call.arguments, 'text'), turn) };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { kind: 'failed', errorType: error.errorType, problem: error.message };
  }
}

/** Counts how often the same call, unchanged, has failed in this pass. */
function failureCounter(most: number) {
  const counts = new Map<string, number>();
  const keyOf = ({ tool, arguments: given }: ToolCall) => canonicalJson([tool, given]);
  return {
    add: (call: ToolCall) => counts.set(keyOf(call), (counts.get(keyOf(call)) ?? 0) + 1),
    problemOf: (call: ToolCall) => {
      // Nothing has failed in most passes; then no key is made.
      const count = counts.size === 0 ? 0 : (counts.get(keyOf(call)) ?? 0);
      return count < most ? null : `this call has failed ${count} times unchanged; change it or do without`;
    },
  };
}

function recordedAnswer(calls: readonly ToolCall[]): string {
  return spacedJson(calls.map((call) => ({ [call.tool]: call.arguments })));
}
