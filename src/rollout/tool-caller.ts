import { CoHarnessError } from '../base/errors.ts';
import { argumentCheck } from '../harness/argument-check.ts';
import type { Harness, HarnessTool } from '../harness/harness.ts';
import type { ToolCall } from '../trajectory/trajectory.ts';
import type { ParsedCall } from './call-dialect.ts';
import { errorText, resultText } from './conversation.ts';
import type { EventLog } from './event-log.ts';
import { spacedJson } from './fill-template.ts';
import type { HookChain } from './middleware/hook-chain.ts';
import type { EpisodeTools } from './tools/episode-tools.ts';
import type { WallLimit } from './wall-limit.ts';

/** `texts`: what the model is shown, one a call, in call order. `answer`: what answer.from = tool takes; null when no call succeeded. */
export interface CallResults {
  texts: string[];
  failures: number;
  answer: string | null;
}

export type RunCalls = (turn: number, calls: readonly ParsedCall[]) => Promise<CallResults>;

/**
 * Checks and runs the calls of one turn in order and records each step. Rejects with AbortedError when the rollout ends, or CoHarnessError
 * `sandbox-unavailable` when a back end does not exist in this installation.
 */
export function toolCaller(
  harness: Harness,
  tools: readonly HarnessTool[],
  log: EventLog,
  limit: WallLimit,
  hooks: HookChain,
  episodeTools: EpisodeTools,
): RunCalls {
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
      const outcome = await runCall(turn, call, tool);
      results.texts.push(await hooks.afterTool(turn, { call, value: outcome.value, text: outcome.text }));
      if (outcome.value === null) {
        results.failures++;
        continue;
      }
      if (outcome.isRecorded) recorded.push(call);
      results.answer = outcome.isRecorded ? recordedAnswer(recorded) : outcome.value;
    }
    return results;
  };

  async function runCall(
    turn: number,
    call: ToolCall,
    tool: HarnessTool | undefined,
  ): Promise<{ text: string; value: string | null; isRecorded: boolean }> {
    const failed = (problem: string) => ({
      text: errorText(harness, call.tool, problem),
      value: null,
      isRecorded: false,
    });
    const problem =
      tool === undefined
        ? `there is no tool "${call.tool}" (known: ${tools.map(({ name }) => name).join(', ')})`
        : argumentCheck(tool.parameters)(call.arguments);
    if (tool === undefined || problem !== null) {
      log.record({ type: 'tool-refused', turn, call, problem: problem ?? '' });
      return failed(problem ?? '');
    }
    const outcome = await episodeTools.run(tool, call.arguments, limit.signal);
    if (outcome.kind === 'unavailable') throw new CoHarnessError('sandbox-unavailable', outcome.why);
    if (outcome.kind === 'failed') {
      const { errorType, problem } = outcome;
      log.record({ type: 'tool-failed', turn, call, errorType, problem });
      return failed(problem);
    }
    log.record({ type: 'tool-returned', turn, call, value: outcome.value });
    const text = resultText(harness, call.tool, outcome.value);
    return { text, value: outcome.value, isRecorded: tool.backend.kind === 'record' };
  }
}

function recordedAnswer(calls: readonly ToolCall[]): string {
  return spacedJson(calls.map((call) => ({ [call.tool]: call.arguments })));
}
