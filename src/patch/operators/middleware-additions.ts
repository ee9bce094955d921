import { present, valueEdit } from '../harness-edits.ts';
import type { OperatorContext, PatchOperator } from '../patch-operator.ts';
import { addMiddleware } from './add-middleware.ts';

/** Stops calls and unreadable replies that repeat themselves. */
const addLoopBreaker = addMiddleware('loop-breaker', {
  cures: { 'identical-repeat': 0.6, 'turn-limit-on-call': 0.25 },
  setups: () => [{ title: 'do not run the same call twice; say what it gave', promise: 1 }],
});

/** Answers an empty reply instead of taking it for an answer. */
const addVoidTurnNudge = addMiddleware('void-turn-nudge', {
  cures: { 'void-turn': 0.7 },
  setups: () => [{ title: 'ask again after an empty reply', promise: 1 }],
});

/** Head and tail of long results, by what the results that were seen measure. */
const addOutputCap = addMiddleware('output-cap', {
  cures: { 'history-fills-window': 0.5, 'history-trimmed': 0.4, 'cut-by-length': 0.1 },
  setups: (context) => {
    const longest = Math.max(0, ...resultLengths(context));
    return [4, 10]
      .map((share) => Math.floor(longest / share))
      .filter((size) => size >= 80)
      .map((size, rank) => ({
        title: `show head and tail of results above ${size} characters`,
        options: { headCharacters: Math.ceil((size * 2) / 3), tailCharacters: Math.floor(size / 3) },
        promise: 1 - rank * 0.2,
      }));
  },
});

/** States the value of the last call where the answer does not. */
const addAnswerCommit = addMiddleware('answer-commit', {
  cures: { 'no-answer-beside-tool-value': 0.7, 'answer-not-tool-value': 0.5, 'no-answer': 0.2 },
  setups: ({ harness }) =>
    harness.settings.answer.from === 'tool' || harness.tools.length === 0
      ? []
      : [{ title: 'state the tool value where the answer does not', promise: 1 }],
});

/** Sends answers back that no tool value stands behind, where every success had one. */
const addSelfCheck = addMiddleware('self-check', {
  cures: { 'no-call': 0.4, 'narrated-call': 0.4, 'call-in-other-form': 0.3 },
  setups: ({ harness, successes }) => {
    if (harness.settings.answer.from === 'tool' || harness.tools.length === 0) return [];
    const usesTools = successes.every(({ events }) => events.some(({ type }) => type === 'tool-returned'));
    return [
      {
        title: 'send an answer back that no tool value stands behind',
        options: { needsValue: true },
        promise: usesTools ? 1 : 0.4,
      },
    ];
  },
});

/** Mends calls that can only mean one thing. */
const addArgumentRepair = addMiddleware('argument-repair', {
  cures: { 'call-unreadable': 0.3, 'misnamed-argument': 0.6, 'unfit-argument-value': 0.6, 'extra-argument': 0.4 },
  setups: ({ clusters }) => {
    const hasExtras = clusters.some(({ mechanism }) => mechanism === 'extra-argument');
    return [
      {
        title: hasExtras ? 'mend arguments, leave those out that the schema does not allow' : 'mend arguments',
        ...(hasExtras ? { options: { extras: true } } : {}),
        promise: 1,
      },
    ];
  },
});

/** Shortens older results where the history grows too long. */
const addContextTrimming = addMiddleware('context-trimming', {
  cures: { 'history-fills-window': 0.6, 'history-trimmed': 0.5 },
  setups: (context) => {
    const largest = Math.max(0, ...promptSizes(context));
    const aboveTokens = Math.floor(largest / 2);
    if (aboveTokens < 64) return [];
    return [
      { title: `shorten older results above ${aboveTokens} tokens of history`, options: { aboveTokens }, promise: 1 },
    ];
  },
});

/** Says how many replies are left. */
const addBudgetReminder = addMiddleware('budget-reminder', {
  cures: { 'turn-limit-on-call': 0.5, 'no-answer': 0.15 },
  setups: ({ harness }) =>
    harness.settings.limits.turns < 2 ? [] : [{ title: 'say when few replies are left', promise: 1 }],
});

/** Lets the model check its answer. Where that needs a turn more than the limit has, it is bought. */
const addVerificationTurn = addMiddleware('verification-turn', {
  cures: { 'answer-not-tool-value': 0.3 },
  unasked: 0.1,
  setups: ({ harness }) => {
    const { turns } = harness.settings.limits;
    return [
      {
        title: 'let the model check its answer in one turn more',
        with: present([valueEdit(harness, 'harness.yaml', '/limits/turns', turns + 1)]),
        relaxes: ['turns'],
        promise: turns > 1 ? 0.8 : 1,
      },
      ...(turns > 1 ? [{ title: 'let the model check its answer within the turn limit', promise: 1 }] : []),
    ];
  },
});

export const MIDDLEWARE_ADDITIONS: readonly PatchOperator[] = [
  addLoopBreaker,
  addVoidTurnNudge,
  addOutputCap,
  addAnswerCommit,
  addSelfCheck,
  addArgumentRepair,
  addContextTrimming,
  addBudgetReminder,
  addVerificationTurn,
];

function resultLengths({ trajectories }: OperatorContext): number[] {
  return trajectories.flatMap(({ events }) =>
    events.flatMap((event) => (event.type === 'tool-returned' ? [event.value.length] : [])),
  );
}

function promptSizes({ trajectories }: OperatorContext): number[] {
  return trajectories.flatMap(({ events }) =>
    events.flatMap((event) => (event.type === 'model-called' ? [event.usage.promptTokens] : [])),
  );
}
