import { AbortedError, errorMessage, InvariantError } from '../../base/errors.ts';
import type { ChatMessage } from '../../model/model-backend.ts';
import type { Conversation } from '../conversation.ts';
import type { EventLog } from '../event-log.ts';
import { fillTemplate } from '../fill-template.ts';
import { headAndTail } from '../head-and-tail.ts';
import type { HouseTools } from '../house-tools.ts';
import type { CallModel } from '../model-caller.ts';
import type { RolloutJob } from '../rollout-job.ts';
import { estimateTokens, trimHistory } from '../trim-history.ts';
import { type NoteBook, noteBook } from './note-book.ts';
import { type PassageIndex, passageIndex } from './passage-index.ts';
import { shortenLargest, shortenStale } from './shorten-results.ts';
import { shownFacts } from './shown-facts.ts';

/** The memory policy of φ over one pass: what of the conversation is sent, and what stands for what is not. */
export interface EpisodeMemory {
  tools: HouseTools;
  /** Makes room before a model call; what it drops, shortens, sums up or finds again is an event. What breaks in it is a recorded fault. */
  prepare(turn: number): Promise<void>;
  close(): void;
}

const CHARACTERS_PER_TOKEN = 4;

/** `callModel`: for summaries, metered like every other call. */
export function openMemory(
  job: RolloutJob,
  conversation: Conversation,
  log: EventLog,
  callModel: CallModel,
): EpisodeMemory {
  const policy = job.harness.memory;
  const notes = noteBook(policy, log);
  let index: PassageIndex | null = null;
  let summary = '';
  let hasDropped = false;

  function room(): number {
    const window =
      job.model.windowTokens - job.harness.settings.limits.tokensPerTurn - estimateTokens(conversation.opening);
    return Math.min(window, policy.historyTokens ?? window);
  }

  /** Room for what stands for dropped turns, so that it is inside the limit too. */
  function reserved(): number {
    const { notes: kept, summary: written, retrieval } = policy;
    return kept.tokens + written.tokens + (retrieval.passages > 0 ? retrieval.tokens : 0);
  }

  async function makeRoom(turn: number): Promise<void> {
    const { history } = conversation;
    if (policy.staleAfterTurns !== null) shortenStale(history, policy.staleAfterTurns, turn, log);
    const whole = room();
    if (!hasDropped && estimateTokens(history) <= whole) return;
    const limit = Math.max(0, whole - reserved());
    if (policy.evict === 'largest-result') shortenLargest(history, limit, turn, log);
    const before = [...history];
    const droppedMessages = trimHistory(history, limit);
    if (droppedMessages === 0) return;
    hasDropped = true;
    log.record({ type: 'history-trimmed', turn, droppedMessages });
    const dropped = before.slice(0, droppedMessages);
    if (policy.retrieval.passages > 0) {
      index ??= passageIndex();
      index.add(dropped);
    }
    if (policy.summary.tokens > 0) summary = await summarise(turn, dropped);
  }

  async function summarise(turn: number, dropped: readonly ChatMessage[]): Promise<string> {
    const spoken = dropped.map(({ role, content }) => `${role}: ${content}`).join('\n');
    const text = summary === '' ? spoken : `${summary}\n${spoken}`;
    const window = (job.model.windowTokens - policy.summary.tokens) * CHARACTERS_PER_TOKEN;
    const shown = headAndTail(text, Math.floor(window / 4), Math.floor(window / 4));
    const content = fillTemplate(job.harness.prompts.summary ?? '', { dropped: shown, problem: job.task.problem });
    const messages = [{ role: 'user' as const, content }];
    const reply = await callModel({ turn, turnKind: 'summary', messages, maxTokens: policy.summary.tokens });
    const written = cut(reply.text.trim(), policy.summary.tokens);
    if (written === '') return summary;
    log.record({ type: 'memory-acted', turn, action: 'summarised', detail: written });
    return written;
  }

  function recalled(turn: number): string {
    const question = conversation.history.at(-1)?.content ?? '';
    const found = index?.find(question, policy.retrieval.passages) ?? [];
    const text = cut(found.join('\n'), policy.retrieval.tokens);
    if (text !== '') log.record({ type: 'memory-acted', turn, action: 'recalled', detail: text });
    return text;
  }

  return {
    tools: { note: notes.add },
    prepare: async (turn) => {
      if (turn === 0) reportFacts(job, log);
      try {
        await makeRoom(turn);
        conversation.remind(hasDropped ? standIns(notes, summary, recalled(turn), turn) : '');
      } catch (error) {
        if (!isOfMemory(error)) throw error;
        log.record({ type: 'fault', boundary: 'memory', problem: errorMessage(error) });
      }
    },
    close: () => index?.close(),
  };
}

/** What the model is shown in place of dropped turns. */
function standIns(notes: NoteBook, summary: string, recalled: string, turn: number): string {
  const parts: [string, string][] = [
    ['Notes', notes.text(turn)],
    ['Earlier', summary],
    ['From earlier turns', recalled],
  ];
  return parts.flatMap(([title, text]) => (text === '' ? [] : [`${title}:\n${text}`])).join('\n\n');
}

function reportFacts({ harness }: RolloutJob, log: EventLog): void {
  const left = harness.facts.length - shownFacts(harness.facts, harness.memory.facts.tokens).length;
  if (left > 0) {
    const detail = `${left} of ${harness.facts.length} facts do not fit into ${harness.memory.facts.tokens} tokens`;
    log.record({ type: 'memory-acted', turn: 0, action: 'left-out', detail });
  }
}

function cut(text: string, tokens: number): string {
  return text.slice(0, tokens * CHARACTERS_PER_TOKEN);
}

/** The model's faults, the end of the time and a stop pass through; what is left is the memory's own. */
function isOfMemory(error: unknown): boolean {
  if (error instanceof AbortedError || error instanceof InvariantError) return false;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_SQLITE');
}
