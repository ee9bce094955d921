import type { FactExample, FactTool, HarnessFacts } from '../harness-facts/harness-facts.ts';
import { type Misfit, misfitsOf } from '../harness-facts/schema-members.ts';
import { schemaRepair } from '../harness-facts/schema-repair.ts';
import { writtenCalls } from '../written-calls.ts';
import type { HarnessDefect } from './harness-defect.ts';

interface ShownCall {
  path: string;
  isExample: boolean;
  quote: string;
  tool: FactTool;
  misfits: Misfit[];
}

/**
 * Calls that φ itself shows and its own schema forbids. When most shown calls of a tool fail, the schema is what is wrong; when one of
 * several does, that example is.
 */
export function exampleUnfit(facts: HarnessFacts): HarnessDefect[] {
  const shown = shownCalls(facts);
  return [...Map.groupBy(shown, ({ tool }) => tool)].flatMap(([tool, calls]) => {
    const unfit = calls.filter(({ misfits }) => misfits.length > 0);
    const [first] = unfit;
    if (first === undefined) return [];
    const isSchema = unfit.length * 2 >= calls.length;
    const quotes = unfit.slice(0, 3).map(({ path, quote }) => ({ path, quote }));
    const about = [tool.name, ...unfit.flatMap(({ misfits }) => misfits.map(({ argument }) => argument))];
    const example = facts.examples.find(({ path }) => path === first.path);
    if (!isSchema && example !== undefined) return [badExample(example, tool, quotes, about)];
    const misfits = unfit.flatMap((call) => call.misfits);
    const edits = schemaRepair(tool, misfits);
    return [
      {
        label: 'tool_schema_error' as const,
        component: 'tool' as const,
        path: edits[0]?.path ?? tool.parametersPath,
        mechanism: 'schema-forbids-shown-call',
        explanation: `The schema of ${tool.name} forbids the calls that φ itself shows (${describe(misfits[0] as Misfit)}).`,
        confidence: unfit.length > 1 ? 0.95 : 0.8,
        quotes: [...quotes, { path: tool.parametersPath, quote: JSON.stringify(tool.parameters) }],
        about,
        repair: edits.length === 0 ? null : edits,
      },
    ];
  });
}

function shownCalls(facts: HarnessFacts): ShownCall[] {
  const toolOf = (name: string) => facts.tools.find((tool) => tool.name === name);
  const names = facts.tools.map(({ name }) => name);
  const inExamples = facts.examples.flatMap(({ path, calls }) =>
    calls.map((call) => ({ path, isExample: true, call })),
  );
  const inTexts = [...facts.prompts, ...facts.skills].flatMap(({ path, text }) =>
    writtenCalls(text, names)
      // Placeholders such as "..." or NAME show a form, not values.
      .filter(({ call, form }) => form === 'json' && !isPlaceholder(call.arguments))
      .map(({ call }) => ({ path, isExample: false, call })),
  );
  return [...inExamples, ...inTexts].flatMap(({ path, isExample, call }) => {
    const tool = toolOf(call.tool);
    if (tool === undefined) return [];
    const quote = `${call.tool}(${JSON.stringify(call.arguments)})`;
    return [{ path, isExample, quote, tool, misfits: misfitsOf(tool.parameters, call.arguments) }];
  });
}

function isPlaceholder(given: Readonly<Record<string, unknown>>): boolean {
  const values = Object.values(given);
  return (
    values.length === 0 ||
    values.some((value) => typeof value === 'string' && /^(\.{2,}|…|<.*>|\{.*\}|[A-Z_ ]+|\$.*)$/.test(value))
  );
}

function badExample(
  example: FactExample,
  tool: FactTool,
  quotes: HarnessDefect['quotes'],
  about: string[],
): HarnessDefect {
  return {
    label: 'prompt_ambiguity',
    component: 'example',
    path: example.path,
    mechanism: 'example-breaks-schema',
    explanation: `One example shows a call that the schema of ${tool.name} forbids; the others keep to it.`,
    confidence: 0.85,
    quotes,
    about,
    repair: null,
  };
}

function describe({ kind, argument, value }: Misfit): string {
  if (kind === 'missing') return `"${argument}" is demanded and not given`;
  if (kind === 'unknown') return `"${argument}" is not in the schema`;
  return `${JSON.stringify(value)} is not allowed as "${argument}"`;
}
