import type { CriticSubject, SubjectLine, SubjectPart } from './critic-subject.ts';

interface Level {
  /** Characters of one line. */
  line: number;
  /** Lines of one part, from both ends. */
  lines: number;
  parts: number;
}

/** From everything to next to nothing; the first that fits is taken. */
const LEVELS: readonly Level[] = [
  { line: Number.POSITIVE_INFINITY, lines: Number.POSITIVE_INFINITY, parts: Number.POSITIVE_INFINITY },
  { line: 6_000, lines: 200, parts: 12 },
  { line: 3_000, lines: 80, parts: 8 },
  { line: 1_500, lines: 40, parts: 6 },
  { line: 800, lines: 24, parts: 4 },
  { line: 400, lines: 14, parts: 3 },
  { line: 200, lines: 8, parts: 2 },
  { line: 80, lines: 4, parts: 2 },
];

export interface FittedSubject {
  text: string;
  /** Events whose text, or a part of it, is in `text`. */
  events: ReadonlySet<string>;
  /** One sentence a cut; empty when everything is there. */
  leftOut: string[];
}

/**
 * A subject as text of at most `characters`. What does not fit is left out from the middle of lines, from the middle of runs, and whole runs from
 * the end, and the text says so.
 */
export function fitSubject(subject: CriticSubject, characters: number): FittedSubject {
  for (const level of LEVELS) {
    const fitted = atLevel(subject, level);
    if (fitted.text.length <= characters) return fitted;
  }
  const last = atLevel(subject, LEVELS.at(-1) as Level);
  const note = '\n[the rest does not fit and is left out]';
  return {
    ...last,
    text: `${last.text.slice(0, Math.max(0, characters - note.length))}${note}`,
    leftOut: [...last.leftOut, 'the end of what is shown'],
  };
}

function atLevel(subject: CriticSubject, level: Level): FittedSubject {
  const leftOut: string[] = [];
  const events = new Set<string>();
  const shown = subject.parts.slice(0, level.parts + 1);
  if (shown.length < subject.parts.length)
    leftOut.push(`${subject.parts.length - shown.length} of ${subject.parts.length - 1} runs`);
  const parts = shown.map((part, index) =>
    renderPart(part, index === 0 ? { ...level, lines: level.lines * 2 } : level, leftOut, events),
  );
  const head = [
    `# Case ${subject.id}`,
    subject.problem === '' ? '' : `Seen from outside: ${clip(subject.problem, level.line)}`,
  ];
  const note = leftOut.length === 0 ? '' : `Left out to fit: ${leftOut.join('; ')}.`;
  if (subject.problem !== '') events.add('problem');
  return { text: [...head, note, ...parts].filter((part) => part !== '').join('\n\n'), events, leftOut };
}

function renderPart({ title, lines }: SubjectPart, level: Level, leftOut: string[], events: Set<string>): string {
  const isTooLong = lines.length > level.lines;
  const front = Math.ceil(level.lines / 2);
  const back = Math.floor(level.lines / 2);
  const kept: (SubjectLine | null)[] = isTooLong
    ? [...lines.slice(0, front), null, ...lines.slice(lines.length - back)]
    : [...lines];
  if (isTooLong) leftOut.push(`${lines.length - front - back} of ${lines.length} entries of ${title}`);
  const clipped = kept.filter((line) => line !== null && line.text.length > level.line).length;
  if (clipped > 0) leftOut.push(`the middle of ${clipped} long entries of ${title}`);
  const texts = kept.map((line) => {
    if (line === null) return `[${lines.length - front - back} entries left out]`;
    if (line.event !== '') events.add(line.event);
    return `${line.event === '' ? '' : `[${line.event}] `}${clip(line.text, level.line)}`;
  });
  return [`## ${title}`, ...texts].join('\n');
}

/** The first two thirds and the last third of what is allowed: beginnings say what it is, ends say how it ended. */
function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const front = Math.ceil((most * 2) / 3);
  const back = Math.max(0, most - front);
  return `${text.slice(0, front)} […${text.length - most} characters left out…] ${back === 0 ? '' : text.slice(-back)}`;
}
