import { manualClock } from '../../base/clock.ts';
import type { HookName } from '../../harness/middleware-kinds.ts';
import { errorText, openConversation, resultText } from '../../rollout/conversation.ts';
import { eventLog } from '../../rollout/event-log.ts';
import { hookChain } from '../../rollout/middleware/hook-chain.ts';
import type { Reply } from '../../rollout/middleware/middleware.ts';
import { offeredTools } from '../../rollout/offered-tools.ts';
import type { RolloutJob } from '../../rollout/rollout-job.ts';
import { readReply } from '../../rollout/turn-actor.ts';
import type { ToolCall, TrajectoryEvent } from '../../trajectory/trajectory.ts';

/** What came of a replay. `faults`: `ID, HOOK: what went wrong`; `hooks`: those that the events reached. */
export interface HookReplay {
  faults: string[];
  hooks: Set<HookName>;
}

/**
 * Takes the middleware of a harness through the events of one recorded pass in the order in which the agent loop would. What a hook does is
 * checked; the events that follow stay those that were recorded. Rejects with AbortedError, or CoHarnessError `sandbox-unavailable`.
 */
export async function replayHooks(
  job: Pick<RolloutJob, 'harness' | 'task'> & Required<Pick<RolloutJob, 'toolHosts'>>,
  events: readonly TrajectoryEvent[],
  signal: AbortSignal,
): Promise<HookReplay> {
  const { harness, task } = job;
  const log = eventLog(manualClock(), 0, null);
  const tools = offeredTools(harness, task);
  const conversation = openConversation(harness, task, tools);
  const chain = hookChain(job, conversation, log, signal);
  const hooks = new Set<HookName>(['start']);
  let turn = 0;
  let open: { reply: Reply; askAgain: string | null; results: string[] } | null = null;
  const endTurn = () => {
    if (open !== null) conversation.appendTurn(open.reply, open.results, open.askAgain);
    open = null;
  };
  const afterTool = async (call: ToolCall, value: string | null, text: string) => {
    hooks.add('beforeTool').add('afterTool');
    const tool = tools.find(({ name }) => name === call.tool) ?? null;
    const { stopped } = await chain.beforeTool(turn, call, tool);
    const shown = stopped ?? (await chain.afterTool(turn, { call, value, text }));
    open?.results.push(shown);
  };
  await chain.start();
  for (const event of events.filter(({ vote = 0 }) => vote === 0)) {
    switch (event.type) {
      case 'model-called': {
        if (event.turnKind === 'summary') break;
        endTurn();
        turn = event.turn;
        hooks.add('beforeModel');
        await chain.beforeModel(turn);
        const read = readReply(harness, event, tools);
        if (event.turnKind === 'working') hooks.add('afterModel');
        const heard = event.turnKind === 'working' ? await chain.afterModel(turn, read) : { ...read, askAgain: null };
        open = { reply: heard, askAgain: heard.askAgain, results: [] };
        break;
      }
      case 'tool-returned':
        await afterTool(event.call, event.value, resultText(harness, event.call.tool, event.value));
        break;
      case 'tool-failed':
      case 'tool-refused':
        await afterTool(event.call, null, errorText(harness, event.call.tool, event.problem));
        break;
      case 'answered':
        hooks.add('finish');
        await chain.finish(turn, event.answer);
        break;
    }
  }
  const faults = log.events.flatMap((event) => (event.type === 'fault' ? [event.problem] : []));
  return { faults, hooks };
}
