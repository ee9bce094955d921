import { AbortedError, CoHarnessError, InvariantError } from '../base/errors.ts';
import type { Harness } from '../harness/harness.ts';
import { ProviderError } from '../model/provider-error.ts';
import { modelCalls } from '../trajectory/model-calls.ts';
import { openConversation } from './conversation.ts';
import type { Episode } from './episode.ts';
import { type EventLog, eventLog } from './event-log.ts';
import { fillTemplate } from './fill-template.ts';
import { openMemory } from './memory/open-memory.ts';
import { hookChain } from './middleware/hook-chain.ts';
import { modelCaller } from './model-caller.ts';
import { nativeOffer } from './native-calls.ts';
import { offeredTools } from './offered-tools.ts';
import { openSkills } from './open-skills.ts';
import { refusedRequest } from './refused-request.ts';
import type { RolloutJob } from './rollout-job.ts';
import { isEngineFailing, timeIsOver } from './time-is-over.ts';
import { toolCaller } from './tool-caller.ts';
import { openEpisodeTools } from './tools/episode-tools.ts';
import { sharedToolHosts } from './tools/tool-hosts.ts';
import { readReply, textAnswer, turnActor } from './turn-actor.ts';
import { type WallLimit, WallLimitReached, wallLimit } from './wall-limit.ts';

/**
 * φ on a task: ask the model, run its calls, show it the results, until an answer or the turn limit; hooks may have a word at each step. Null when
 * there is no answer. Rejects with what `agentLoop` below sorts.
 */
async function converse(job: RolloutJob, log: EventLog, limit: WallLimit, vote: number | null): Promise<string | null> {
  const { harness, task } = job;
  const tools = offeredTools(harness, task);
  const skills = openSkills(harness, task.problem, log);
  const conversation = openConversation(harness, task, tools, skills.text);
  const hooks = hookChain(job, conversation, log, limit.signal);
  const callModel = modelCaller({ job, log, limit, vote });
  const memory = openMemory(job, conversation, log, callModel);
  const backEnds = openEpisodeTools(harness, job.toolHosts ?? sharedToolHosts());
  limit.atEnd(backEnds.close);
  limit.atEnd(memory.close);
  const houseTools = { ...skills.tools, ...memory.tools };
  const act = turnActor(harness, tools, log, toolCaller({ harness, tools, log, limit, hooks, backEnds, houseTools }));
  const offer = nativeOffer(harness.settings.protocol.dialect, tools);
  const askModel = async (turn: number, turnKind: 'working' | 'final') => {
    await hooks.beforeModel(turn);
    await memory.prepare(turn);
    return callModel({ turn, turnKind, messages: conversation.messages(), ...offer });
  };
  const workingTurns = harness.settings.limits.turns - (hasFinalTurn(harness) ? 1 : 0);

  await hooks.start();
  let turn = 0;
  for (; turn < workingTurns && act.mayGoOn(); turn++) {
    const written = await askModel(turn, 'working');
    const reply = await hooks.afterModel(turn, readReply(harness, written, tools));
    const step = reply.askAgain === null ? await act.on(turn, reply) : { results: [] };
    const end = step.candidate === undefined ? null : await hooks.finish(turn, step.candidate);
    if (end !== null && end.askAgain === null) return end.answer;
    conversation.appendTurn(reply, step.results, reply.askAgain ?? end?.askAgain ?? null);
  }
  if (turn === workingTurns) log.record({ type: 'turn-limit-reached', turn: turn - 1 });
  if (!hasFinalTurn(harness)) return (await hooks.finish(harness.settings.limits.turns - 1, null)).answer;
  conversation.appendUser(fillTemplate(harness.prompts['final-turn'] ?? '', { problem: task.problem }));
  return (await hooks.finish(turn, textAnswer((await askModel(turn, 'final')).text))).answer;
}

/** The last turn is asked for text without tools where text is the answer and at least one working turn stays. */
function hasFinalTurn({ settings }: Harness): boolean {
  return settings.finalTurn && settings.answer.from === 'text' && settings.limits.turns > 1;
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
    const answer = await converse(job, log, limit, vote);
    log.record({ type: 'answered', from: job.harness.settings.answer.from, answer });
    return { ...episode, answer };
  } catch (error) {
    if (job.signal?.aborted) throw error instanceof AbortedError ? error : new AbortedError();
    if (error instanceof WallLimitReached || (error instanceof AbortedError && limit.isReached())) {
      return { ...episode, ...timedOut(job, log) };
    }
    return { ...episode, fault: infrastructureFault(error, log) };
  } finally {
    limit.end();
  }
}

/**
 * A time-out that φ may have caused is a failure of φ. An engine that has finished no call at all, or was failing when the time ran out, is not φ's doing.
 */
function timedOut({ harness }: RolloutJob, log: EventLog): ReturnType<typeof timeIsOver> {
  const turn = modelCalls(log).length;
  const isEngineFault = turn === 0 || isEngineFailing(log.events);
  return timeIsOver(log, { turn, isEngineFault, wallMs: harness.settings.limits.wallMs });
}

function infrastructureFault(error: unknown, log: EventLog): Episode['fault'] {
  if (error instanceof InvariantError || !CoHarnessError.isInstance(error)) {
    throw error instanceof InvariantError
      ? error
      : new InvariantError(`the agent loop failed: ${String(error)}`, { error });
  }
  const fault = { boundary: error instanceof ProviderError ? 'provider' : 'sandbox', problem: error.message } as const;
  if (fault.boundary === 'sandbox') log.record({ type: 'fault', ...fault });
  return { ...fault, ...refusedRequest(error) };
}
