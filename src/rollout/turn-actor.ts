import type { Harness, HarnessTool } from '../harness/harness.ts';
import type { Generation } from '../model/model-backend.ts';
import { parseCalls } from './call-dialect.ts';
import { errorText } from './conversation.ts';
import type { EventLog } from './event-log.ts';
import type { Reply } from './middleware/middleware.ts';
import { readNativeCalls } from './native-calls.ts';
import type { RunCalls } from './tool-caller.ts';

/** What came of a working turn. `candidate`: the answer it gives (null = it ends without one); absent: the loop goes on with `results`. */
export interface TurnStep {
  candidate?: string | null;
  results: string[];
}

export interface TurnActor {
  /** Whether φ lets the model try again after so many errors. */
  mayGoOn(): boolean;
  on(turn: number, reply: Reply): Promise<TurnStep>;
}

/** Acts on replies: runs their calls and records what they are. */
export function turnActor(
  harness: Harness,
  tools: readonly HarnessTool[],
  log: EventLog,
  runCalls: RunCalls,
): TurnActor {
  const { settings, retry } = harness;
  let parseErrorsLeft = retry.parseErrors;
  let toolErrorsLeft = retry.toolErrors;
  return {
    mayGoOn: () => parseErrorsLeft >= 0 && toolErrorsLeft >= 0,
    on: async (turn, { calls, unreadable, written }) => {
      if (tools.length === 0) return { candidate: textAnswer(written), results: [] };
      if (unreadable !== null) log.record({ type: 'call-unreadable', turn, ...unreadable });
      else if (calls.length === 0) {
        log.record({ type: 'no-call', turn });
        return {
          candidate: settings.answer.from === 'text' ? textAnswer(written) : answerWithoutCall(tools),
          results: [],
        };
      }
      const ran = await runCalls(turn, calls);
      if (calls.length === 0) parseErrorsLeft--;
      if (ran.failures > 0) toolErrorsLeft--;
      const unread = unreadable === null ? [] : [errorText(harness, '', unreadable.problem)];
      const results = [...ran.texts, ...unread];
      return settings.answer.from === 'tool' && ran.answer !== null ? { candidate: ran.answer, results } : { results };
    },
  };
}

/** A generation as φ's dialect reads it. */
export function readReply({ settings }: Harness, generation: Generation, tools: readonly HarnessTool[]): Reply {
  const { text, finishReason, calls } = generation;
  if (settings.protocol.dialect.kind === 'native') {
    return { ...readNativeCalls(text, calls ?? []), written: text, finishReason };
  }
  const parsed = parseCalls(settings.protocol.dialect, text, tools, finishReason === 'stop-text');
  return { ...parsed, written: text, finishReason };
}

export function textAnswer(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}

/** Where calls themselves are the answer, replying without one says that none fits. */
function answerWithoutCall(tools: readonly HarnessTool[]): string | null {
  return tools.some(({ backend }) => backend.kind === 'record') ? '[]' : null;
}
