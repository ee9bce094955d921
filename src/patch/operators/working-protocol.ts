import type { CallDialect } from '../../harness/harness.ts';
import { dialectName, otherDialects } from '../call-dialects.ts';
import { present, valueEdit } from '../harness-edits.ts';
import type { OperatorContext, PatchDraft, PatchOperator } from '../patch-operator.ts';
import { dialectEdits } from './dialect-edits.ts';
import { addedExamples, type ExampleSet, examplesFor } from './example-drafts.ts';

const CURES: Readonly<Record<string, number>> = {
  'no-call': 1,
  'narrated-call': 1,
  'invented-observation': 0.9,
  'call-in-other-form': 0.8,
  'call-unreadable': 0.8,
  'no-answer': 0.5,
  'misnamed-argument': 0.6,
};

/**
 * One mechanism over several fields that only make sense together: how a call is written, examples that show it, and the tool value
 * as the answer. Only where φ shows no examples yet.
 */
export const workingProtocol: PatchOperator = {
  name: 'working-protocol',
  reach: (cluster, harness) => {
    return cluster === null ? (harness.tools.length > 0 ? 0.3 : 0) : (CURES[cluster.mechanism] ?? 0);
  },
  propose: (context) => {
    if (context.harness.examples.length > 0) return [];
    const [shortest, second] = otherDialects(context.harness);
    const plans: { dialect: CallDialect | null; set: ExampleSet; promise: number }[] = [
      { dialect: null, set: { count: 8, choice: 'diverse' }, promise: 1 },
      { dialect: shortest ?? null, set: { count: 4, choice: 'diverse' }, promise: 0.98 },
      { dialect: shortest ?? null, set: { count: 12, choice: 'typical' }, promise: 0.9 },
      { dialect: null, set: { count: 16, choice: 'random' }, promise: 0.88 },
      { dialect: shortest ?? null, set: { count: 8, choice: 'random' }, promise: 0.8 },
      { dialect: null, set: { count: 4, choice: 'typical' }, promise: 0.7 },
      { dialect: second ?? null, set: { count: 8, choice: 'diverse' }, promise: 0.6 },
    ];
    return plans.flatMap((plan) => protocolDraft(context, plan) ?? []);
  },
};

function protocolDraft(
  context: OperatorContext,
  { dialect, set, promise }: { dialect: CallDialect | null; set: ExampleSet; promise: number },
): PatchDraft | null {
  const { harness } = context;
  const chosen = examplesFor(context, set, 'tool').filter(({ steps }) => steps.some((step) => step.call !== undefined));
  if (chosen.length === 0) return null;
  const answer = valueEdit(harness, 'harness.yaml', '/answer/from', 'tool');
  if (dialect === null && answer === null) return null;
  const parts = [
    ...(dialect === null ? [] : [`calls as ${dialectName(dialect)}`]),
    `${chosen.length} worked examples (${set.choice})`,
    ...(answer === null ? [] : ['tool value as answer']),
  ];
  return {
    title: parts.join(' + '),
    edits: [
      ...(dialect === null ? [] : dialectEdits(harness, dialect)),
      ...addedExamples(harness, chosen, 'tool'),
      ...present([answer]),
    ],
    component: 'example',
    probe: { kind: 'prompt-changed' },
    promise,
    usesTasks: chosen.map(({ task }) => task),
  };
}
