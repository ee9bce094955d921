import { containment, contentWords, type Directive, directivesOf, jaccard } from '../directives.ts';
import type { FactText, HarnessFacts } from '../harness-facts/harness-facts.ts';
import type { HarnessDefect } from './harness-defect.ts';

/** Groups of which one answer can satisfy one member only. */
const EXCLUSIVE: readonly (readonly RegExp[])[] = [
  [
    /\bjson\b/i,
    /\b(plain text|prose|free text|natural language|no json)\b/i,
    /\byaml\b/i,
    /\bxml\b/i,
    /\bmarkdown table\b/i,
    /\bcsv\b/i,
  ],
  [
    /\b(briefly|brief|concise|short(?:ly)?|one (?:word|line|sentence)|single (?:word|line|sentence|number|value|letter|token)|(?:one|bare) (?:number|value)|nothing else|(?:never|no|not|at most|under|fewer than|less than|within|up to|max(?:imum)?)\b[^.]{0,24}\b(?:\d+|one|two|three) (?:words?|characters|sentences?|lines?|comments?|points?|items?|bullets?)|only the (?:final )?(?:answer|number|value|result))\b/i,
    /\b(in (?:full )?detail|detailed|at length|elaborate|thorough(?:ly)?|explain (?:your|every|each|all|how|why)|show (?:your|all) (?:work|steps?)|(?:list|describe|include|cover|mention|give|name|report) (?:every|all|each)|(?:be |as )?exhaustive|long)\b/i,
  ],
  [
    /\b(?:in|into) (?:english|german|french|spanish|italian|portuguese|dutch|polish|chinese|japanese|russian|arabic)\b/i,
    /\b(?:the |own |same )?language of (?:the|their|his|her|each)\b|\bsame language\b|\b(?:user|customer|reader|sender)['’]s (?:own )?language\b/i,
  ],
  [/\bascending\b/i, /\bdescending\b/i],
  [/\buppercase|capital letters\b/i, /\blowercase\b/i],
  [/\bround(?:ed)? up\b/i, /\bround(?:ed)? down\b/i],
  [/\bask (?:the user|for clarification|back)\b/i, /\bnever ask|do not ask|don['’]t ask|without asking\b/i],
  [
    /\b(call|use) (?:a |the |any |your )?tools?\b.*\b(always|first|every|before)\b|\balways (?:call|use)\b/i,
    /\b(never|do not|don['’]t) (?:call|use) (?:a |the |any |your )?(?:tools?|functions?)\b|\bwithout (?:any |the )?tools?\b|\bfrom memory\b/i,
  ],
];

const OVERRIDE =
  /\b(ignore|disregard|forget|override|overrides|overruled?|contrary to|opposite of|reverse of)\b.*\b(above|previous|earlier|prior|other|preceding|said|instructions?|rules?|stated)\b/i;

/** Instructions of φ that no reply can obey together: opposite polarity over the same words, exclusive demands, or a line that revokes the others. */
export function contradictoryInstructions({ prompts, skills }: HarnessFacts): HarnessDefect[] {
  const texts = [...prompts, ...skills.map((skill) => ({ ...skill, isSkill: true }))];
  const directives = texts.flatMap(({ path, text }) => directivesOf(path, text));
  const pairs = directives.flatMap((left, index) =>
    directives.slice(index + 1).flatMap((right) => {
      const how = conflict(left, right);
      return how === null ? [] : [{ left, right, how }];
    }),
  );
  const override = directives.find(({ sentence }) => OVERRIDE.test(sentence));
  const found = pairs.map(({ left, right, how }) => defect(texts, [left, right], how.why, how.confidence));
  if (override !== undefined) found.unshift(defect(texts, [override], 'an instruction revokes the others', 0.85));
  return found.sort((a, b) => b.confidence - a.confidence).slice(0, 3);
}

function conflict(left: Directive, right: Directive): { why: string; confidence: number } | null {
  if (left.sentence === right.sentence) return null;
  if (left.isNegative !== right.isNegative && !isConditional(left, right)) {
    const shared = [...left.words].filter((word) => right.words.has(word)).length;
    if (shared >= 2 && containment(left.words, right.words) >= 0.75) {
      return { why: 'one sentence demands what another forbids', confidence: 0.9 };
    }
  }
  const bound = boundConflict(left, right);
  if (bound !== null) return { why: bound, confidence: 0.8 };
  if (isConditional(left, right)) return null;
  const group = EXCLUSIVE.find((members) => {
    const ofLeft = members.findIndex((member) => member.test(left.sentence));
    const ofRight = members.findIndex((member) => member.test(right.sentence));
    const both = members.filter((member) => member.test(left.sentence) || member.test(right.sentence)).length;
    return ofLeft !== -1 && ofRight !== -1 && ofLeft !== ofRight && both === 2 && !isExplained(members, left, right);
  });
  if (group !== undefined && speaksOfReply(left) && speaksOfReply(right)) {
    return { why: 'two sentences demand replies that exclude each other', confidence: 0.7 };
  }
  return null;
}

/** `if`, `when` and the like make room for two rules side by side. */
function isConditional(left: Directive, right: Directive): boolean {
  return [left, right].some(({ sentence }) =>
    /\b(if|when|whenever|unless|until|except|otherwise|once|for (?:questions|tasks|requests))\b/i.test(sentence),
  );
}

/** A sentence that names both members ("JSON, not prose") agrees with the one that names either. */
function isExplained(members: readonly RegExp[], left: Directive, right: Directive): boolean {
  return [left, right].some(({ sentence }) => members.filter((member) => member.test(sentence)).length > 1);
}

function speaksOfReply({ sentence }: Directive): boolean {
  return /\b(answer|reply|respond|response|output|return|write|report|format|call|use|tool|ask|sort|order|explain|show|list|describe|be)\b/i.test(
    sentence,
  );
}

/** `at most 2 …` beside `at least 3 …` about the same thing. */
function boundConflict(left: Directive, right: Directive): string | null {
  const bound = ({ sentence }: Directive) => {
    const match =
      /\b(at most|no more than|up to|maximum of|at least|no fewer than|minimum of|exactly)\s+(\d+|one|two|three|four|five|six|ten)\s+(\w+)/i.exec(
        sentence,
      );
    if (match === null) return null;
    const number =
      Number(match[2]) ||
      ['zero', 'one', 'two', 'three', 'four', 'five', 'six', '', '', '', 'ten'].indexOf((match[2] ?? '').toLowerCase());
    const kind = (match[1] ?? '').toLowerCase();
    return {
      most: /most|more|up to|maximum|exactly/.test(kind) ? number : Number.POSITIVE_INFINITY,
      least: /least|fewer|minimum|exactly/.test(kind) ? number : 0,
      unit: [...contentWords(match[3] ?? '')][0],
    };
  };
  const [one, other] = [bound(left), bound(right)];
  if (one === null || other === null || one.unit === undefined || one.unit !== other.unit) return null;
  return one.most < other.least || other.most < one.least ? 'two bounds cannot both be kept' : null;
}

function defect(
  texts: readonly (FactText & { isSkill?: boolean })[],
  parties: Directive[],
  why: string,
  confidence: number,
): HarnessDefect {
  const guilty = oddOneOut(texts, parties);
  const place = texts.find(({ path }) => path === guilty.path);
  const isSkill = place?.isSkill === true;
  return {
    label: isSkill ? 'skill_missing' : 'prompt_ambiguity',
    component: isSkill ? 'skill' : 'prompt',
    path: guilty.path,
    mechanism: 'contradictory-instructions',
    explanation: `The instructions contradict each other: ${why}.`,
    confidence,
    quotes: parties.map(({ path, sentence }) => ({ path, quote: sentence })),
    about: [...new Set(parties.flatMap(({ words }) => [...words]))],
    repair:
      place === undefined
        ? null
        : [{ path: place.path, old: place.text, value: withoutSentence(place.text, guilty.sentence) }],
  };
}

/** The party that agrees least with everything else that φ says; the later one where that says nothing. */
function oddOneOut(texts: readonly FactText[], parties: Directive[]): Directive {
  const others = texts
    .flatMap(({ path, text }) => directivesOf(path, text))
    .filter((directive) => !parties.some(({ sentence }) => sentence === directive.sentence));
  const support = (party: Directive) =>
    others.reduce(
      (sum, other) => sum + (other.isNegative === party.isNegative ? 1 : -1) * jaccard(other.words, party.words),
      0,
    );
  const [first, ...rest] = parties;
  return rest.reduce((odd, party) => (support(party) <= support(odd) + 0.05 ? party : odd), first as Directive);
}

function withoutSentence(text: string, sentence: string): string {
  return text
    .replace(sentence, '')
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
