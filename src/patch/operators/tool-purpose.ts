import type { ContentHash } from '../../base/content-hash.ts';
import { present, toolEdit } from '../harness-edits.ts';
import type { OperatorContext, PatchOperator } from '../patch-operator.ts';

const MARK = 'For example for:';
/** Problems longer than this would cost more in every prompt than they explain. */
const MOST_CHARACTERS = 200;

/** Says in every tool's description for which problem of a reference solution it is the right one. Only where there is a choice. */
export const toolPurpose: PatchOperator = {
  name: 'tool-purpose',
  reach: (cluster, harness) => {
    if (harness.tools.length < 2) return 0;
    return cluster === null ? 0.2 : cluster.label === 'tool_schema_error' ? 0.5 : 0;
  },
  propose: (context) => {
    const { harness } = context;
    const purposes = harness.tools.flatMap((tool) => {
      const shown = shortestUse(context, tool.name);
      if (shown === null || tool.description.includes(MARK)) return [];
      const description = `${tool.description.trim()} ${MARK} ${shown.problem}`.trim();
      return [{ name: tool.name, description, task: shown.task }];
    });
    if (purposes.length < 2) return [];
    return [
      {
        title: 'say in each description for which problem the tool is',
        edits: present(purposes.map(({ name, description }) => toolEdit(harness, name, '/description', description))),
        component: 'tool',
        probe: { kind: 'prompt-changed' },
        promise: 1,
        usesTasks: purposes.map(({ task }) => task),
      },
    ];
  },
};

/** The shortest problem whose reference calls this tool and no other. */
function shortestUse({ trainTasks }: OperatorContext, tool: string): { problem: string; task: ContentHash } | null {
  const uses = trainTasks.filter(({ reference, problem }) => {
    const calls = reference?.calls ?? [];
    return calls.length === 1 && calls[0]?.tool === tool && problem.length <= MOST_CHARACTERS;
  });
  const [shortest] = uses.toSorted((a, b) => a.problem.length - b.problem.length);
  return shortest === undefined ? null : { problem: shortest.problem, task: shortest.hash };
}
