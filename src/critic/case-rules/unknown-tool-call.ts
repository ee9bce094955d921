import { nearest } from '../../base/nearest.ts';
import type { FactTool } from '../harness-facts/harness-facts.ts';
import { toolReferences } from '../harness-facts/tool-references.ts';
import { type CaseRule, type CaseView, type Clue, describedTool, quoteOf, type Repair } from './case-rule.ts';
import { onlyFitting } from './fitting-repair.ts';

const NO_SUCH_TOOL =
  /\b(no such|unknown|unsupported|unregistered|undefined|invalid|nonexistent) (tool|function|action|command)\b|\b(tool|function|action)\b[^.\n]{0,60}\b(not found|does not exist|doesn['’]t exist|not available|not registered|is not defined|not (in|among) )/i;

/** Calls of a tool that is not offered, or that the loop says it does not know. */
export const unknownToolCall: CaseRule = {
  name: 'unknown-tool-call',
  clues: ({ failing, facts, harness }) => {
    const names = facts.tools.map(({ name }) => name);
    return failing.slice(0, 3).flatMap((run): Clue[] => {
      const refused = run.steps.find(
        ({ role, content }) => (role === 'tool' || role === 'note') && NO_SUCH_TOOL.test(content.slice(0, 1_000)),
      );
      const called = run.steps.find(({ calls }) => names.length > 0 && calls.some(({ tool }) => !names.includes(tool)));
      const step = refused ?? called;
      if (step === undefined) return [];
      const name = called?.calls.find(({ tool }) => !names.includes(tool))?.tool ?? '';
      const near = nearest(name, names);
      const promptNames = facts.prompts.some(({ text }) => name !== '' && text.includes(name));
      return [
        {
          label: 'tool_schema_error',
          component: 'tool',
          path: '/tools',
          mechanism: 'tool-not-offered',
          explanation: `${name === '' ? 'A tool' : `"${name}"`} was called, and no such tool is offered.`,
          weight: promptNames || near !== undefined ? 2.2 : refused === undefined ? 1 : 1.6,
          evidence: [quoteOf(step.event, step.content || JSON.stringify(step.calls))],
          repair: repairOf(
            facts.tools.find((tool) => tool.name === near),
            name,
            { facts, harness },
          ),
        },
      ];
    });
  },
};

/**
 * The tool gets the name that was called where φ itself uses that name and never the offered one. Otherwise the name is the model's own slip, which no
 * renaming mends: what can be said is the right one.
 */
function repairOf(
  tool: FactTool | undefined,
  called: string,
  { facts, harness }: Pick<CaseView, 'facts' | 'harness'>,
): Repair[] | null {
  if (tool === undefined) return null;
  const references = toolReferences(facts);
  const isUsed = (name: string) => references.some((reference) => reference.name === name);
  if (!isUsed(called) || isUsed(tool.name))
    return describedTool(tool, `Its name is spelled exactly "${tool.name}".`, harness);
  return tool.namePath === null ? null : onlyFitting([{ path: tool.namePath, old: tool.name, new: called }], harness);
}
