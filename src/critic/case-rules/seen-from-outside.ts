import type { AttributionLabel } from '../attribution.ts';
import { type CaseRule, type CaseView, type Clue, quoteOf } from './case-rule.ts';

/** What people write when they see each cause from outside. Hints only: each counts little, and a cause's hints count at most twice. */
const HINTS: readonly [AttributionLabel, RegExp][] = [
  [
    'prompt_ambiguity',
    /\b(ambigu|unclear|not clear|contradict|conflict(ing|s)? (instruction|rule|guideline|sentence)|vague|unspecified|not (told|specified|stated|instructed)|never (says|states|told|mentions)|instructions? (do|does|say|are|leave|fail|miss)|sometimes\b.*\bsometimes|\bsome\b.*\band some\b|disagree|tone|too (long|short|verbose|informal|formal|terse)|when (customers|users|reviewers|people) expect|two ways|different (formats?|conventions?|units?|interpretation)|inconsistent (format|answers?|style|output)|output format|wording|phrasing|interprets?)/i,
  ],
  [
    'tool_schema_error',
    /\b(schema|parameters?|arguments?|enum|field names?|data ?types?|type mismatch|api (returns?|expects?|rejects?)|tool (returns?|rejects?|refuses?|expects?|definition|description|signature|call(s)? (fail|are rejected|rejected|refused))|wrong (tool|argument|parameter|units? from)|validation error|documented|endpoint|back[- ]?end|malformed call|never registered|signature)/i,
  ],
  [
    'skill_missing',
    /\b(from scratch|re-?(invent|deriv|build|implement|discover|writ)\w*|every time|each time|again and again|no (routine|procedure|playbook|helper|template|skill|recipe|standard way)|ad[- ]hoc|decompos|sub-?tasks?|multi-?step|long[- ]horizon|improvis|skips? (a|the|some) (step|check)s?|forgets? (a|the|to) (step|verif|check)\w*|never (checks?|verif(y|ies)|tests?|plans?|runs? (the |its |any )?(tests?|checks?))|without (checking|verifying|testing|planning)|does not (check|verify|plan)|in one (leap|go|step)|several (stops|parts|steps)|miss(es)? a (leg|part|step)|wastes? (many |its )?(steps|turns|calls) (on|work)|same (sequence|steps|boilerplate|code)|checklist|order of (the )?steps|in (a different|the wrong|another|the) order|haphazard)/i,
  ],
  [
    'middleware_mismatch',
    /\b(middleware|hooks?|retr(y|ies|ying)|time-?outs?|timed? out|loops? (forever|endlessly|until)|stuck in a loop|infinite loop|step (limit|budget)|turn limit|max(imum)? (steps|turns|iterations)|cut (off|short)|stops? (early|too soon|before|abruptly)|ends? (early|abruptly|before)|aborts?|crash(es|ed)?|twice|duplicate(s|d)?|parser|post-?process|stop (sequence|string|token)|truncated (output|reply|response)|swallow|stripped|rewritten|blocked|gives? up|hangs?|runs? out of (steps|turns|time))/i,
  ],
  [
    'memory_overflow',
    /\b(memor(y|ies)|forg[eo]t(s|ten)?|remember|recall|context (window|length|limit|overflow)|earlier (turn|message|in the conversation|facts?|instructions?)|long (conversation|session|dialog|chat)|after (many|several|a few|\d+) (turns|messages|steps)|loses? (track|the|earlier)|no longer (knows?|remembers?|has|sees?|follows?|keeps)|(in|from|at) the (first|opening) (message|turn)|late in (a|the|long)|(uses?|using|used) (the |an |its )?old\b|earlier session|last (week|session|time)|what it was (asked|told)|already (said|gave|told|provided)|lost (track|the|earlier)|stale|outdated|summar(y|ies|iz)|history|evict|trimm|overflow|session|previously (said|given|stated|mentioned)|asks? (again|for (the )?.{0,20}again))/i,
  ],
  [
    'agent_error',
    /\b(miscalculat|arithmetic|misread|mis-?reads?|hallucinat|careless|off by one|reasoning (error|mistake|slip)|wrong conclusion|misinterpret|overlook|despite (the|clear|explicit|having|being)|even though|although (the|it|clear)|ignored? (the|a|clear|explicit)|typo|miscount|one[- ]off|only (once|one run)|slip|other runs (are|were|pass)|usually (right|correct|passes)|everything (else )?(works|worked|was)|all (tools|calls) (work|worked|succeed))/i,
  ],
];

export const seenFromOutside: CaseRule = {
  name: 'seen-from-outside',
  clues: (view) => HINTS.flatMap(([label, pattern]) => hintOf(view, label, pattern)),
};

function hintOf({ case: subject, failing }: CaseView, label: AttributionLabel, pattern: RegExp): Clue[] {
  const [run] = failing;
  const texts = [
    { event: 'problem', content: subject.problem },
    ...failing.slice(0, 3).map(({ place, outcome }) => ({ event: `${place}/outcome`, content: outcome })),
  ];
  const hits = texts.flatMap(({ event, content }) => {
    const found = new Set(
      [...content.matchAll(new RegExp(pattern.source, 'gi'))].map(([match]) => match.toLowerCase()),
    );
    return found.size === 0 ? [] : [{ event, content, count: found.size }];
  });
  const [first] = hits;
  if (first === undefined || run === undefined) return [];
  const count = hits.reduce((sum, hit) => sum + hit.count, 0);
  return [
    {
      label,
      component: null,
      path: null,
      mechanism: 'as-described',
      explanation: 'What was seen from outside points that way.',
      weight: Math.min(1.3, 0.7 + 0.3 * (count - 1)),
      evidence: [quoteOf(first.event, first.content)],
      repair: null,
    },
  ];
}
