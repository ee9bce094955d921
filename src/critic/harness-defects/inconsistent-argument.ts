import type { FactTool, HarnessFacts } from '../harness-facts/harness-facts.ts';
import { propertiesOf, typeOf } from '../harness-facts/schema-members.ts';
import type { HarnessDefect } from './harness-defect.ts';

interface Argument {
  tool: FactTool;
  name: string;
  type: string;
  description: string;
}

/** An argument whose type differs from that of all others with its name or its description: one thing cannot be a text here and a number there. */
export function inconsistentArgument({ tools }: HarnessFacts): HarnessDefect[] {
  const all = tools.flatMap((tool) =>
    Object.entries(propertiesOf(tool.parameters)).flatMap(([name, member]): Argument[] => {
      const type = typeOf(member);
      const description = typeof member.description === 'string' ? member.description.trim().toLowerCase() : '';
      return type === null ? [] : [{ tool, name, type: type === 'integer' ? 'number' : type, description }];
    }),
  );
  return all.flatMap((argument) => {
    const peers = all.filter(
      (other) =>
        other !== argument &&
        (other.name === argument.name || (argument.description !== '' && other.description === argument.description)),
    );
    const usual = peers[0]?.type;
    if (peers.length < 2 || usual === undefined || usual === argument.type) return [];
    if (peers.some(({ type }) => type !== usual)) return [];
    const path = `${argument.tool.parametersPath}/properties/${argument.name}/type`;
    return [
      {
        label: 'tool_schema_error',
        component: 'tool',
        path,
        mechanism: 'inconsistent-argument-type',
        explanation: `"${argument.name}" of ${argument.tool.name} is typed ${argument.type}; everywhere else the same thing is ${usual}.`,
        confidence: 0.85,
        quotes: [
          { path, quote: argument.type },
          { path: peers[0]?.tool.parametersPath ?? path, quote: `${peers[0]?.name}: ${usual}` },
        ],
        about: [argument.tool.name],
        repair: [
          { path, old: typeOf(propertiesOf(argument.tool.parameters)[argument.name]) ?? argument.type, value: usual },
        ],
      },
    ];
  });
}
