import { bare, expectedAnswer, finalReply, mentions } from '../cases/expected-answer.ts';
import { directivesOf, sentencesOf } from '../directives.ts';
import { harnessDefects } from '../harness-defects/harness-defects.ts';
import { addedInstruction, type CaseRule, type CaseView, type Clue, harnessEvent, quoteOf } from './case-rule.ts';

const FORM_WORDS =
  /\b(format|json|yaml|xml|csv|markdown|bullet|schema|units?|currency|decimals?|digits?|rounded|rounding|whole number|integer|number only|only the|nothing else|exactly|single (word|line|number)|upper|lower|iso|yyyy|date format|language|prefix|suffix|tag|prose|sentence|words?|concise|label)\b/i;
const FORM_TROUBLE =
  /\b(not (valid |a )?(json|number|parsable|parseable|machine[- ]readable)|(wrong|unexpected|different|inconsistent|bad|invalid) (output |answer |response |date |number )?(format|form|units?|shape|style|language|structure)|could not (parse|read|extract) (the )?(answer|output|reply|response)|(key|field|column|header|heading) \w+ (is )?missing|extra (text|words|prose|explanation)|no (final )?answer (found|given|extracted)|expected (a |an )?(json|number|integer|single|iso|list|plain)|got (prose|a sentence|text)|format(ting)? (differs|varies|error|mismatch)|(cannot|can['’]t|could not|unable to) (read|parse|interpret|import|process|understand) ["'“`])/i;

/** The content is right and its form is wrong: nothing said what form is wanted, or the model was told and did not keep to it. */
export const answerForm: CaseRule = {
  name: 'answer-form',
  clues: (view) => {
    const troubled = view.failing.flatMap((run) => {
      const reply = finalReply(run);
      const wanted = expectedAnswer(run);
      const isRightInside =
        reply !== null && wanted !== null && isSameButForm(reply.content, wanted.expected, wanted.got);
      if (isRightInside) return [{ run, reply, isSure: true }];
      return FORM_TROUBLE.test(run.outcome) || FORM_TROUBLE.test(view.case.problem)
        ? [{ run, reply, isSure: false }]
        : [];
    });
    const [first] = troubled;
    return first === undefined ? [] : [clueOf(view, troubled)];
  },
};

function clueOf(
  view: CaseView,
  troubled: { run: CaseView['failing'][number]; reply: { event: string; content: string } | null; isSure: boolean }[],
): Clue {
  const rule = view.facts.prompts.flatMap(({ path, text }) =>
    sentencesOf(text)
      .filter(
        (sentence) =>
          FORM_WORDS.test(sentence) &&
          /\b(answer|reply|respond|response|output|return|final|write|report|format|give|state)\b/i.test(sentence),
      )
      .map((sentence) => ({ path, sentence })),
  )[0];
  const evidence = troubled
    .slice(0, 3)
    .flatMap(({ run, reply }) => [
      ...(reply === null ? [] : [quoteOf(reply.event, reply.content)]),
      quoteOf(`${run.place}/outcome`, run.outcome),
    ]);
  const isSure = troubled.some((trouble) => trouble.isSure);
  const hasObeyed = view.passing.length > 0;
  const isContradicted =
    VARIES.test(view.case.problem) ||
    harnessDefects(view.facts).some(({ mechanism }) => mechanism === 'contradictory-instructions');
  if (rule !== undefined && !isContradicted && (hasObeyed || view.failing.length === 1)) {
    return {
      label: 'agent_error',
      component: null,
      path: null,
      mechanism: 'breaks-clear-form',
      explanation: 'The instructions say plainly what an answer looks like, and this reply does not keep to it.',
      weight: hasObeyed ? 1.6 : 0.8,
      evidence: [
        ...evidence,
        ...view.failing.slice(0, 1).map((run) => quoteOf(harnessEvent(run, rule.path), rule.sentence)),
      ],
      repair: null,
    };
  }
  const prompt = view.facts.prompts[0];
  return {
    label: 'prompt_ambiguity',
    component: 'prompt',
    path: prompt?.path ?? '/prompt',
    mechanism: 'missing-output-contract',
    explanation:
      rule === undefined
        ? 'Nothing says what form an answer must have.'
        : 'What the instructions say of the form of an answer does not bring it about.',
    weight: (isSure ? 2 : 1.5) + (rule === undefined ? 0.5 : 0),
    evidence,
    repair: addedInstruction(view, 'Reply with the answer alone, in the form that is asked for, and nothing else.'),
  };
}

function isSameButForm(reply: string, expected: string, got: string | null): boolean {
  if (got !== null && bare(got) === bare(expected)) return true;
  const given = got ?? reply;
  return given.trim() !== expected.trim() && mentions(given, expected);
}

const VAGUE =
  /\b(appropriate(ly)?|as needed|if necessary|reasonable|properly|suitable|etc|and so on|somehow|various|good|nice|handle (it|them|this)|do your best|use your judg(e)?ment|as you see fit|be helpful)\b/i;

/** Prompts that are empty, next to nothing, or leave the decision to words that mean nothing. */
export const thinInstructions: CaseRule = {
  name: 'thin-instructions',
  clues: ({ facts, failing, harness }) => {
    const [run] = failing;
    if (run === undefined || harness === null) return [];
    const empty = facts.prompts.find(({ text }) => text.trim() === '');
    const all = facts.prompts
      .map(({ text }) => text)
      .join(' ')
      .trim();
    const vague = facts.prompts
      .flatMap(({ path, text }) => directivesOf(path, text))
      .find(({ sentence }) => VAGUE.test(sentence));
    const place = empty ?? facts.prompts[0];
    const base = { label: 'prompt_ambiguity' as const, component: 'prompt' as const, path: place?.path ?? '/prompt' };
    if (empty !== undefined) {
      return [
        {
          ...base,
          mechanism: 'empty-prompt',
          explanation: 'A prompt is empty.',
          weight: 1.8,
          evidence: [quoteOf(harnessEvent(run, empty.path), '(empty)')],
          repair: [{ path: empty.path, old: empty.text, new: 'what the agent is to do and how its answer looks' }],
        },
      ];
    }
    if (all.split(/\s+/).length < 12) {
      return [
        {
          ...base,
          mechanism: 'thin-prompt',
          explanation: 'The instructions say next to nothing.',
          weight: 0.5,
          evidence: [quoteOf(harnessEvent(run, base.path), all || '(no prompt)')],
          repair: null,
        },
      ];
    }
    if (vague !== undefined) {
      return [
        {
          ...base,
          path: vague.path,
          mechanism: 'vague-instruction',
          explanation: 'An instruction leaves what is wanted to words that do not say it.',
          weight: 0.6,
          evidence: [quoteOf(harnessEvent(run, vague.path), vague.sentence)],
          repair: null,
        },
      ];
    }
    return [];
  },
};

/** What people write of behaviour that goes one way here and another there. */
export const VARIES =
  /\bsometimes\b.*\bsometimes\b|\bhalf\b.*\bhalf\b|\bsome\b.*\b(others?|some)\b|\b(varies|inconsistent(ly)?|different (formats?|keys?|names?|units?|styles?|languages?|conventions?))\b|\bin some runs\b/i;

/** One harness, and runs that go different ways where nothing says which: the instructions leave it open. */
export const behaviourVaries: CaseRule = {
  name: 'behaviour-varies',
  clues: ({ case: subject, facts, failing }) => {
    const [run] = failing;
    const prompt = facts.prompts[0];
    if (run === undefined || !VARIES.test(subject.problem)) return [];
    const reply = finalReply(run);
    return [
      {
        label: 'prompt_ambiguity',
        component: 'prompt',
        path: prompt?.path ?? '/prompt',
        mechanism: 'left-open-by-instructions',
        explanation: 'Runs of one harness go different ways, and no instruction says which is wanted.',
        weight: 1.5,
        evidence: [
          quoteOf('problem', subject.problem),
          ...(reply === null ? [] : [quoteOf(reply.event, reply.content)]),
        ],
        repair: null,
      },
    ];
  },
};
