import type { CaseRun } from '../cases/case.ts';
import type { FactSetting } from '../harness-facts/harness-facts.ts';
import { type CaseRule, type CaseView, type Clue, placeOf, quoteOf, stepsOf } from './case-rule.ts';

const DROPPED =
  /\b(history|messages?|turns?|memory|context|conversation|entries|notes|facts?|steps?|observations?|results?)\b[^.\n]{0,40}\b(truncated|trimmed|dropped|evicted|pruned|summari[sz]ed|compacted|removed|cleared|forgotten|discarded|expired|overwritten|lost|omitted|shortened)\b|\b(truncat|trimm|dropp|evict|prun|compact|summari[sz]|discard|forg[eo]t)\w*\b[^.\n]{0,40}\b(history|messages?|turns?|memory|context|conversation|entries|notes|earlier|older|oldest)\b/i;
const OVERFLOW =
  /\b(context|prompt|window|input)\b[^.\n]{0,30}\b(length|window|limit|size|full|overflow(ed)?|exceed(s|ed)?|too (long|large|big|many))\b|\bcontext_(length|window)\w*|\btoo many tokens\b|\bmaximum context\b|\bout of context\b/i;
const NOT_FOUND =
  /\b(memory|recall|retriev\w*|lookup|search|notes?|store)\b[^.\n]{0,40}\b(empty|nothing|no (match|result|entr|record|memor)\w*|not found|0 (results|hits|matches|entries)|none|miss)\b|\bno (memories|entries|notes|saved|stored)\b|\bnothing (stored|saved|remembered|found in memory)\b/i;
const STALE =
  /\b(stale|outdated|out[- ]of[- ]date|old (value|version|entry|copy)|cached|no longer (valid|current|true)|superseded|previous (value|version)|\d+ (hours|days|weeks|months|years) (ago|old))\b/i;
const ASKS_AGAIN =
  /\b(don['’]t|do not|no longer|cannot|can['’]t)\b[^.\n]{0,25}\b(recall|remember|have (any |the |that |access|a record|information)|know (your|the|which|what)|see (any|the|that|your|earlier|previous))\b|\b(could|can|would) you (please )?(remind|repeat|tell me again|provide|share|specify)\b|what would you like me to do|\bplease (provide|give|tell) me (your|the)\b|\bwhat (is|was) (your|the) [^.?\n]{1,40} again\b|\byou (haven['’]t|have not|didn['’]t|did not) (told|mentioned|given|provided|shared|specif)/i;

/** What was once known is not there when it is needed: trimmed away, never found again, or older than what was said since. */
export const lostMemory: CaseRule = {
  name: 'lost-memory',
  clues: (view) =>
    view.failing
      .slice(0, 4)
      .flatMap((run) => [
        ...told(run, view),
        ...recalledNothing(run, view),
        ...summaryLost(run, view),
        ...readAgain(run, view),
        ...askedAgain(run, view),
        ...stale(run, view),
      ]),
};

/** Where φ keeps or drops history: the smallest limit first, because that one bites. */
function keeper({ facts }: CaseView): FactSetting | undefined {
  const keepers = facts.settings.filter(
    ({ words, component }) =>
      component === 'memory' ||
      words.some((word) =>
        [
          'history',
          'keep',
          'trim',
          'window',
          'truncate',
          'compact',
          'summarize',
          'prune',
          'memory',
          'last',
          'recent',
        ].includes(word),
      ),
  );
  const limits = keepers
    .filter(({ value }) => typeof value === 'number')
    .sort((a, b) => Number(a.value) - Number(b.value));
  return limits[0] ?? keepers[0];
}

function base(view: CaseView) {
  const setting = keeper(view);
  const path = setting?.path ?? '/memory';
  const place =
    setting === undefined ? { component: 'memory' as const, label: 'memory_overflow' as const } : placeOf(path);
  // A trimmer that stands among the hooks is a hook; anything else that forgets is memory.
  const isHook = place.component === 'middleware';
  return {
    label: isHook ? ('middleware_mismatch' as const) : ('memory_overflow' as const),
    component: isHook ? ('middleware' as const) : ('memory' as const),
    path,
    repair:
      typeof setting?.value === 'number'
        ? [{ path, old: setting.value, new: setting.value > 1 ? setting.value * 4 : setting.value / 2 }]
        : setting?.value === false
          ? [{ path, old: false, new: true }]
          : null,
  };
}

function told(run: CaseRun, view: CaseView): Clue[] {
  const told = [
    ...run.steps.filter(
      ({ role, content }) =>
        role === 'note' ||
        (role === 'tool' && content.length < 400) ||
        (role === 'system' && run.steps[0]?.content !== content),
    ),
    { event: `${run.place}/outcome`, content: run.outcome },
  ];
  const patterns: readonly [RegExp, string, string, number][] = [
    [OVERFLOW, 'window-overflow', 'What was sent no longer fitted the window.', 2.4],
    [DROPPED, 'facts-trimmed', 'Earlier turns were dropped before they were needed.', 2.3],
    [NOT_FOUND, 'not-found-again', 'What was stored could not be found again, or was never stored.', 2],
    [STALE, 'stale-memory', 'An older value was used after a newer one was known.', 1.8],
  ];
  const found = patterns.flatMap(([pattern, mechanism, explanation, weight]) => {
    const step = told.find(({ content }) => pattern.test(content.slice(0, 2_000)));
    return step === undefined
      ? []
      : [{ ...base(view), mechanism, explanation, weight, evidence: [quoteOf(step.event, step.content)] }];
  });
  return found.slice(0, 1);
}

const SUMMARY = /\bsummary\b|\bsummari[sz]ed\b|\bcompacted\b|\bso far\b/i;

/** A summary in the middle of the run without values that the user had given before it. */
function summaryLost(run: CaseRun, view: CaseView): Clue[] {
  const summary = run.steps.find(
    ({ role, content }, index) => index > 0 && (role === 'system' || role === 'note') && SUMMARY.test(content),
  );
  if (summary === undefined) return [];
  const before = run.steps.slice(0, run.steps.indexOf(summary)).filter(({ role }) => role === 'user');
  const lost = [...valuesOf(before.map(({ content }) => content).join(' '))].find(
    (value) => !summary.content.includes(value),
  );
  if (lost === undefined) return [];
  const told = before.find(({ content }) => content.includes(lost));
  return [
    {
      ...base(view),
      mechanism: 'lost-in-summary',
      explanation: `The summary leaves out what the user had said ("${lost}").`,
      weight: 2.2,
      evidence: [quoteOf(told?.event ?? summary.event, told?.content ?? lost), quoteOf(summary.event, summary.content)],
    },
  ];
}

/** Calls made again after others in between, each with a good result the first time: it is no longer there. */
function readAgain(run: CaseRun, view: CaseView): Clue[] {
  const calls = run.steps.flatMap((step) => step.calls.map((call) => ({ step, key: JSON.stringify(call) })));
  const again = calls.filter(({ key }, index) => calls.findIndex((other) => other.key === key) < index - 1);
  const isKept = view.facts.settings.some(({ component }) => component === 'memory');
  const [first] = again;
  if (first === undefined || again.length < 2) return [];
  return [
    {
      ...base(view),
      mechanism: 'reads-again',
      explanation: 'The agent gets again what it had got earlier in the run: it no longer has it.',
      weight: isKept ? 1.9 : 1,
      evidence: again.slice(0, 3).map(({ step, key }) => quoteOf(step.event, key)),
    },
  ];
}

/** A tool that looks something up in memory came back with nothing. */
function recalledNothing(run: CaseRun, view: CaseView): Clue[] {
  const empty = run.steps.find((step, index) => {
    const calls = run.steps[index - 1]?.calls ?? [];
    const isRecall = calls.some(({ tool }) => isMemoryTool(tool));
    return step.role === 'tool' && isRecall && NOTHING.test(step.content.slice(0, 200));
  });
  if (empty === undefined) return [];
  return [
    {
      ...base(view),
      mechanism: 'not-found-again',
      explanation: 'What was stored could not be found again, or was never stored.',
      weight: 2.2,
      evidence: [quoteOf(empty.event, empty.content)],
    },
  ];
}

/** Whether a tool, by its name, looks something up that was stored before. */
export function isMemoryTool(name: string): boolean {
  return MEMORY_TOOL.test(name.replace(/[_.-]/g, ' '));
}

const MEMORY_TOOL =
  /\b(memory|memories|recall|remember|notes?|retrieve|retrieval|history|profile|scratchpad|kb|knowledge)\b/i;
const NOTHING =
  /^\s*(\[\s*\]|\{\s*\}|null|none|nothing|empty|not found|n\/a|"")|\b(0|no) (results?|matches|entries|hits|records?|memories|notes)\b|\bnot found\b|\bnothing (stored|found|saved)\b/i;

function askedAgain(run: CaseRun, view: CaseView): Clue[] {
  const asking = stepsOf(run, 'assistant').find(
    ({ content, event }) =>
      ASKS_AGAIN.test(content) &&
      stepsOf(run, 'user', 'tool').some(
        (step) => run.steps.indexOf(step) < run.steps.findIndex((other) => other.event === event),
      ),
  );
  const earlier =
    asking === undefined
      ? []
      : run.steps
          .slice(
            0,
            run.steps.findIndex(({ event }) => event === asking.event),
          )
          .filter(({ role }) => role === 'user');
  if (asking === undefined || earlier.length === 0) return [];
  // What never reached the model cannot have been forgotten; a first question for what nobody said is none either.
  const isLate = run.steps.indexOf(asking) >= 2;
  if (!isLate || earlier.some(({ content }) => /\[(redacted|masked)|\*{4,}/i.test(content))) return [];
  return [
    {
      ...base(view),
      mechanism: 'asks-for-what-was-said',
      explanation: 'The agent asks for what it was told earlier in the same run.',
      weight: 2,
      evidence: [quoteOf(earlier[0]?.event ?? '', earlier[0]?.content ?? ''), quoteOf(asking.event, asking.content)],
    },
  ];
}

const CHANGES =
  /\b(actually|correction|instead|change(d)?|changing|now (it['’]s|is)|new|update(d)?|no longer|rather|moved|switched|sorry)\b/i;

/** The user gave a new value, and the end of the run still holds one from before it. */
function stale(run: CaseRun, view: CaseView): Clue[] {
  const correction = stepsOf(run, 'user').find(({ content }) => CHANGES.test(content) && valuesOf(content).size > 0);
  const last = run.steps.findLast(
    ({ role, calls, content }) => role === 'assistant' && (calls.length > 0 || content !== ''),
  );
  if (
    correction === undefined ||
    last === undefined ||
    view.facts.settings.every(({ component }) => component !== 'memory')
  )
    return [];
  const fresh = [...valuesOf(correction.content)];
  const others = run.steps
    .filter((step) => step !== correction && (step.role === 'user' || step.role === 'tool'))
    .map(({ content }) => content)
    .join(' ');
  const old = [...valuesOf(others)].filter((value) => !correction.content.includes(value));
  const acts = run.steps
    .slice(run.steps.indexOf(correction) + 1)
    .filter(({ role }) => role === 'assistant')
    .map(({ content, calls }) => `${content} ${JSON.stringify(calls)}`)
    .join(' ');
  const used = old.find((value) => acts.includes(value));
  if (used === undefined || fresh.some((value) => acts.includes(value))) return [];
  return [
    {
      ...base(view),
      mechanism: 'stale-memory',
      explanation: 'A new value was given, and the run went on with an older one.',
      weight: 1.8,
      evidence: [
        quoteOf(correction.event, correction.content),
        quoteOf(last.event, last.content || JSON.stringify(last.calls)),
      ],
    },
  ];
}

function valuesOf(text: string): Set<string> {
  return new Set(text.match(/\b\d[\d.,:/-]*\b|(?<=[\p{L}\d,] )[A-Z][\p{L}\d-]{2,}\b/gu) ?? []);
}

/** A history limit that is smaller than the run it was to hold. */
export const shortHistory: CaseRule = {
  name: 'short-history',
  clues: (view) => {
    const setting = keeper(view);
    const [run] = view.failing;
    if (setting === undefined || run === undefined || typeof setting.value !== 'number' || setting.value <= 0)
      return [];
    const inTokens = setting.words.includes('tokens') || setting.value > 60;
    const characters = run.steps.reduce((sum, { content }) => sum + content.length, 0);
    const isShort = inTokens
      ? characters / 4 > setting.value && setting.words.includes('tokens')
      : run.steps.filter(({ role }) => role !== 'system').length > setting.value &&
        setting.words.some((word) =>
          ['keep', 'last', 'turns', 'messages', 'history', 'window', 'recent', 'entries', 'size'].includes(word),
        );
    if (!isShort) return [];
    return [
      {
        ...base(view),
        mechanism: 'history-limit-below-run',
        explanation: 'The history limit is smaller than this run.',
        weight: 1.1,
        evidence: [quoteOf(`${run.place}/harness${setting.path}`, String(setting.value))],
      },
    ];
  },
};
