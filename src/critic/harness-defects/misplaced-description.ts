import { contentWords } from '../directives.ts';
import { type FactTool, type HarnessFacts, nameWords } from '../harness-facts/harness-facts.ts';
import { propertiesOf } from '../harness-facts/schema-members.ts';
import type { HarnessDefect } from './harness-defect.ts';

/** Tool descriptions that are empty, shared by two tools, or fit another tool's name and arguments better than their own. */
export function misplacedDescription({ tools }: HarnessFacts): HarnessDefect[] {
  return tools.flatMap((tool) => {
    const problem = problemOf(tool, tools);
    if (problem === null) return [];
    return [
      {
        label: 'tool_schema_error' as const,
        component: 'tool' as const,
        path: tool.descriptionPath,
        mechanism: problem.mechanism,
        explanation: problem.why,
        confidence: problem.confidence,
        quotes: [{ path: tool.descriptionPath, quote: tool.description || '(empty)' }],
        about: problem.about,
        repair: null,
      },
    ];
  });
}

interface DescriptionProblem {
  mechanism: string;
  why: string;
  confidence: number;
  about: string[];
}

function problemOf(tool: FactTool, tools: readonly FactTool[]): DescriptionProblem | null {
  const others = tools.filter((other) => other !== tool);
  if (tool.description.trim() === '') {
    const isOnlyOne = others.length > 0 && others.every((other) => other.description.trim() !== '');
    return {
      mechanism: 'no-tool-description',
      why: `Nothing says what ${tool.name} does.`,
      confidence: isOnlyOne ? 0.7 : 0.35,
      about: [tool.name],
    };
  }
  const twin = others.find((other) => other.description.trim() === tool.description.trim());
  if (twin !== undefined) {
    return {
      mechanism: 'shared-tool-description',
      why: `${tool.name} and ${twin.name} are described alike: nothing tells when to call which.`,
      confidence: 0.8,
      about: [tool.name, twin.name],
    };
  }
  const own = affinity(tool.description, tool);
  const better = others.find(
    (other) => own === 0 && affinity(tool.description, other) >= 1 && affinity(other.description, other) === 0,
  );
  if (better === undefined) return null;
  const isPair = affinity(better.description, tool) >= 1;
  return {
    mechanism: 'swapped-tool-description',
    why: `The description of ${tool.name} speaks of what ${better.name} does.`,
    confidence: isPair ? 0.8 : 0.7,
    about: [tool.name, better.name],
  };
}

/** Words of a description that a tool's name and arguments hold. */
function affinity(description: string, tool: FactTool): number {
  const words = contentWords(description);
  const own = contentWords([tool.name, ...Object.keys(propertiesOf(tool.parameters))].flatMap(nameWords).join(' '));
  return [...own].filter((word) => words.has(word)).length;
}
