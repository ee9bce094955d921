import type { HarnessTool } from '../../harness/harness.ts';
import { present, toolEdit } from '../harness-edits.ts';
import type { OperatorContext, PatchDraft, PatchOperator } from '../patch-operator.ts';

const CURES: Readonly<Record<string, number>> = {
  'tool-failed': 0.4,
  'misnamed-argument': 0.4,
  'missing-argument': 0.4,
  'extra-argument': 0.4,
  'unfit-argument-value': 0.5,
};

/** Adds to a tool's description the arguments of a call that worked. */
export const toolDescription: PatchOperator = {
  name: 'tool-description',
  reach: (cluster, harness) => (harness.tools.length === 0 || cluster === null ? 0 : (CURES[cluster.mechanism] ?? 0)),
  propose: (context) => context.harness.tools.slice(0, 3).flatMap((tool, rank) => describedTool(context, tool, rank)),
};

function describedTool(context: OperatorContext, tool: HarnessTool, rank: number): PatchDraft[] {
  const found = context.demonstrations.find(({ steps }) => steps.some(({ call }) => call?.tool === tool.name));
  const call = found?.steps.find((step) => step.call?.tool === tool.name)?.call;
  if (found === undefined || call === undefined || tool.description.includes('Example arguments:')) return [];
  const description = `${tool.description.trim()} Example arguments: ${JSON.stringify(call.arguments)}`.trim();
  return [
    {
      title: `show example arguments in the description of ${tool.name}`,
      edits: present([toolEdit(context.harness, tool.name, '/description', description)]),
      component: 'tool',
      probe: { kind: 'prompt-changed' },
      promise: 1 / (rank + 1),
      usesTasks: [found.task],
    },
  ];
}
