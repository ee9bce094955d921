import { AbortedError, CoHarnessError, InvariantError } from '../base/errors.ts';
import type { Harness, HarnessTool } from '../harness/harness.ts';
import type { TokenUsage } from '../model/model-backend.ts';
import { ProviderError } from '../model/provider-error.ts';
import type { FaultBoundary, TrajectoryEvent } from '../trajectory/trajectory.ts';
import { parseCalls } from './call-dialect.ts';
import { errorText, openConversation, resultMessage } from './conversation.ts';
import { type EventLog, eventLog } from './event-log.ts';
import { fillTemplate } from './fill-template.ts';
import { modelCaller } from './model-caller.ts';
import { offeredTools } from './offered-tools.ts';
import type { RolloutJob } from './rollout-job.ts';
import { toolCaller } from './tool-caller.ts';
import { type WallLimit, WallLimitReached, wallLimit } from './wall-limit.ts';

/** One pass of the loop. `fault`: infrastructure failed, there is nothing to score. */
export interface Episode {
  events: TrajectoryEvent[];
  usage: TokenUsage;
  answer: string | null;
  wallLimitReached: boolean;
  fault: { boundary: FaultBoundary; problem: string } | null;
}

/**
 * φ on a task: ask the model, run its calls, show it the results, until an answer or the turn limit. Null when there is no answer. Rejects with
 * what `attempt` below sorts.
 */
async function converse(job: RolloutJob, log: EventLog, limit: WallLimit, vote: number | null): Promise<string | null> {
  const { settings, retry, prompts } = job.harness;
  const tools = offeredTools(job.harness, job.task);
  const conversation = openConversation(job.harness, job.task, tools);
  const askModel = modelCaller(job, conversation, log, limit, vote);
  const runCalls = toolCaller(job.harness, tools, log, limit);
  const workingTurns = settings.limits.turns - (hasFinalTurn(job.harness) ? 1 : 0);
  let parseErrorsLeft = retry.parseErrors;
  let toolErrorsLeft = retry.toolErrors;

  let turn = 0;
  for (; turn < workingTurns && parseErrorsLeft >= 0 && toolErrorsLeft >= 0; turn++) {
    const reply = await askModel(turn, 'working');
    const parsed = parseCalls(settings.protocol.dialect, reply.text, tools, reply.finishReason === 'stop-text');
    if (tools.length === 0) return textAnswer(reply.text);
    if (parsed.unreadable !== null) log.record({ type: 'call-unreadable', turn, ...parsed.unreadable });
    else if (parsed.calls.length === 0) {
      log.record({ type: 'no-call', turn });
      return settings.answer.from === 'text' ? textAnswer(reply.text) : answerWithoutCall(tools);
    }
    const ran = await runCalls(turn, parsed.calls);
    if (settings.answer.from === 'tool' && ran.answer !== null) return ran.answer;
    if (parsed.calls.length === 0) parseErrorsLeft--;
    if (ran.failures > 0) toolErrorsLeft--;
    const unread = parsed.unreadable === null ? [] : [errorText(job.harness, '', parsed.unreadable.problem)];
    conversation.history.push(
      { role: 'assistant', content: parsed.text },
      resultMessage(job.harness, [...ran.texts, ...unread]),
    );
  }
  if (turn === workingTurns) log.record({ type: 'turn-limit-reached', turn: turn - 1 });
  if (!hasFinalTurn(job.harness)) return null;
  conversation.appendUser(fillTemplate(prompts['final-turn'] ?? '', { problem: job.task.problem }));
  return textAnswer((await askModel(turn, 'final')).text);
}

/** The last turn is asked for text without tools where text is the answer and at least one working turn stays. */
function hasFinalTurn({ settings }: Harness): boolean {
  return settings.finalTurn && settings.answer.from === 'text' && settings.limits.turns > 1;
}

function textAnswer(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}

/** Where calls themselves are the answer, replying without one says that none fits. */
function answerWithoutCall(tools: readonly HarnessTool[]): string | null {
  return tools.some(({ backend }) => backend.kind === 'record') ? '[]' : null;
}

/**
 * One pass of φ on the task of a job, as data. `vote` is the number of this pass where φ votes, else null. Rejects only with AbortedError or
 * InvariantError.
 */
export async function agentLoop(job: RolloutJob, startMs: number, vote: number | null): Promise<Episode> {
  const log = eventLog(job.clock, startMs, vote);
  const limit = wallLimit(job.clock, startMs, job.harness.settings.limits.wallMs, job.signal);
  const { events, usage } = log;
  const episode: Episode = { events, usage, answer: null, wallLimitReached: false, fault: null };
  try {
    for (const { name, kind } of job.harness.middleware) {
      log.record({
        type: 'fault',
        boundary: 'middleware',
        problem: `${name}: kind "${kind}" is not available here; it did not act`,
      });
    }
    const answer = await converse(job, log, limit, vote);
    log.record({ type: 'answered', from: job.harness.settings.answer.from, answer });
    return { ...episode, answer };
  } catch (error) {
    if (job.signal?.aborted) throw error instanceof AbortedError ? error : new AbortedError();
    if (error instanceof WallLimitReached || (error instanceof AbortedError && limit.isReached())) {
      return { ...episode, ...timeIsOver(job, log) };
    }
    return { ...episode, fault: infrastructureFault(error, log) };
  } finally {
    limit.end();
  }
}

/**
 * A time-out that φ may have caused is a failure of φ. An engine that has finished no call at all, or was failing when the time ran out, is not φ's doing.
 */
function timeIsOver(job: RolloutJob, { events, record }: EventLog): Pick<Episode, 'wallLimitReached' | 'fault'> {
  const calls = events.filter(({ type }) => type === 'model-called').length;
  const last = events.at(-1);
  const isEngineFault = calls === 0 || (last?.type === 'fault' && last.boundary === 'provider');
  if (!isEngineFault) {
    record({ type: 'wall-limit-reached', turn: calls });
    return { wallLimitReached: true, fault: null };
  }
  const problem = `the model engine gave nothing within ${job.harness.settings.limits.wallMs} ms (limits.wallMs)`;
  const fault = { boundary: 'provider', problem } as const;
  record({ type: 'fault', ...fault });
  return { wallLimitReached: false, fault };
}

function infrastructureFault(error: unknown, log: EventLog): Episode['fault'] {
  if (error instanceof InvariantError || !CoHarnessError.isInstance(error)) {
    throw error instanceof InvariantError
      ? error
      : new InvariantError(`the agent loop failed: ${String(error)}`, { error });
  }
  const fault = { boundary: error instanceof ProviderError ? 'provider' : 'sandbox', problem: error.message } as const;
  if (fault.boundary === 'sandbox') log.record({ type: 'fault', ...fault });
  return fault;
}
