import type { CaseRun, CaseStep } from '../cases/case.ts';
import { type CaseRule, type CaseView, type Clue, findSetting, placeOf, quoteOf, stepsOf } from './case-rule.ts';

const CUT_MARK =
  /(\[?\(?\b(output |content |result |response |text )?(truncated|cut off|clipped|omitted|more (characters|lines|rows|bytes|results|items)( not shown)?)\b[^\n]{0,40}[\])]?\s*$)|<truncated>/i;
const DOTS = /[^.\s]\s*(…|\.\.\.)\s*$/;
const LENGTH_STOP =
  /\b(finish_reason|stop_reason|finish reason)\W+(length|max_tokens)\b|\b(max_tokens|token limit|length limit|output limit)\b[^.\n]{0,20}\b(reached|hit|exceeded)\b/i;

/** Values cut before the model saw them, and replies cut before their end. */
export const cutText: CaseRule = {
  name: 'cut-text',
  clues: (view) => view.failing.slice(0, 4).flatMap((run) => [...cutValue(run, view), ...cutReply(run, view)]),
};

function cutValue(run: CaseRun, { facts }: CaseView): Clue[] {
  const caps = facts.settings.filter(
    ({ words, value, component }) =>
      typeof value === 'number' &&
      value > 0 &&
      component !== 'memory' &&
      words.some((word) =>
        [
          'output',
          'result',
          'results',
          'response',
          'observation',
          'chars',
          'characters',
          'truncate',
          'clip',
          'bytes',
          'lines',
        ].includes(word),
      ),
  );
  const values = stepsOf(run, 'tool', 'note');
  const cut =
    values.find(({ content }) => CUT_MARK.test(content)) ??
    values.find(({ content }) => caps.length > 0 && DOTS.test(content)) ??
    values.find(({ content }) =>
      caps.some(({ value }) => content.length >= 20 && Math.abs(content.length - Number(value)) <= 3),
    );
  if (cut === undefined) return [];
  const cap = caps.find(({ value }) => cut.content.length <= Number(value) + 80) ?? caps[0];
  const place =
    cap === undefined ? { component: 'middleware' as const, label: 'middleware_mismatch' as const } : placeOf(cap.path);
  return [
    {
      ...place,
      path: cap?.path ?? '/limits',
      mechanism: 'output-cap-hides-value',
      explanation: 'A result was cut before the model saw it.',
      weight: cap === undefined ? 1.4 : 2.3,
      evidence: [quoteOf(cut.event, cut.content.length > 160 ? `…${cut.content.slice(-150)}` : cut.content)],
      repair: typeof cap?.value === 'number' ? [{ path: cap.path, old: cap.value, new: cap.value * 10 }] : null,
    },
  ];
}

function cutReply(run: CaseRun, { facts }: CaseView): Clue[] {
  const limit = facts.settings.find(
    ({ words, value, component }) =>
      typeof value === 'number' &&
      component !== 'memory' &&
      component !== 'tool' &&
      words.includes('tokens') &&
      words.some((word) => ['max', 'limit', 'output', 'new', 'completion', 'per', 'reply', 'response'].includes(word)),
  );
  const told =
    run.steps.find(({ role, content }) => role === 'note' && LENGTH_STOP.test(content)) ??
    (LENGTH_STOP.test(run.outcome) ? { event: `${run.place}/outcome`, content: run.outcome } : undefined);
  const last = stepsOf(run, 'assistant').at(-1);
  const isCut = last !== undefined && last.calls.length === 0 && breaksOff(last, limit?.value);
  const stop = findSetting(facts, ['stop']);
  const isStopped = isCut && typeof stop?.value === 'string' && stop.value !== '';
  if (told === undefined && !isCut) return [];
  const path = isStopped ? stop.path : (limit?.path ?? '/limits');
  return [
    {
      ...placeOf(path),
      label: 'middleware_mismatch',
      path,
      mechanism: isStopped ? 'stop-cuts-reply' : 'reply-cut-by-length',
      explanation: 'The reply was cut before it was finished.',
      weight: told === undefined ? (limit === undefined && !isStopped ? 1 : 2.2) : 2.6,
      evidence: [quoteOf(told?.event ?? last?.event ?? run.place, told?.content ?? `…${last?.content.slice(-150)}`)],
      repair: isStopped
        ? [{ path, old: stop.value, new: null }]
        : typeof limit?.value === 'number'
          ? [{ path, old: limit.value, new: limit.value * 4 }]
          : null,
    },
  ];
}

/** Ends inside a sentence or a bracket, and is about as long as the limit lets it be. */
function breaksOff({ content }: CaseStep, limit: unknown): boolean {
  const text = content.trim();
  if (text.length < 20 || /[.!?:)\]}`"'>*\d%]$/.test(text)) return false;
  const opened = (text.match(/[{[(]/g) ?? []).length > (text.match(/[}\])]/g) ?? []).length;
  if (typeof limit === 'number') return text.length >= limit * 2 || opened;
  return (
    opened ||
    /\b(the|a|an|to|of|and|or|with|for|in|on|is|are|then|that|it|from|by|as|at|if|when|which|because)$/i.test(text)
  );
}
