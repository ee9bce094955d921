import type { HarnessMemory } from '../../harness/harness.ts';
import type { EventLog } from '../event-log.ts';
import { ToolError } from '../tools/tool-error.ts';

/** Notes that the model keeps in one episode, inside φ's limit: the oldest goes first, and that it went is an event. */
export interface NoteBook {
  add(text: string, turn: number): string;
  /** One note a line, oldest first; notes past `staleAfterTurns` say so. Empty without notes. */
  text(turn: number): string;
}

export function noteBook({ notes: { tokens }, staleAfterTurns }: HarnessMemory, log: EventLog): NoteBook {
  const notes: { text: string; turn: number }[] = [];
  const lineOf = ({ text, turn }: { text: string; turn: number }, now: number) => {
    const isStale = staleAfterTurns !== null && now - turn > staleAfterTurns;
    return `- ${text}${isStale ? ' (noted a while ago, may be out of date)' : ''}`;
  };
  const size = () => notes.reduce((sum, note) => sum + note.text.length + 3, 0) / 4;
  return {
    add: (given, turn) => {
      const text = given.trim().replace(/\s+/g, ' ');
      if (text === '') throw new ToolError('empty-note', 'the note is empty');
      if (text.length > tokens * 4 - 3)
        throw new ToolError('note-too-long', `a note has at most ${tokens * 4 - 3} characters`);
      const known = notes.findIndex((note) => note.text === text);
      if (known !== -1) notes.splice(known, 1);
      notes.push({ text, turn });
      log.record({ type: 'memory-acted', turn, action: 'noted', detail: text });
      while (size() > tokens) {
        const forgotten = notes.shift();
        log.record({ type: 'memory-acted', turn, action: 'forgot-note', detail: forgotten?.text ?? '' });
      }
      return 'noted';
    },
    text: (now) => notes.map((note) => lineOf(note, now)).join('\n'),
  };
}
