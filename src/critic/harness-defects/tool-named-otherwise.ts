import type { HarnessFacts } from '../harness-facts/harness-facts.ts';
import type { HarnessDefect } from './harness-defect.ts';

/** In our own format a tool's folder bears its name: one that is called otherwise, alone among its siblings, was renamed by half. */
export function toolNamedOtherwise({ tools }: HarnessFacts): HarnessDefect[] {
  const placed = tools.flatMap((tool) => {
    const folder = /^tools\/([^/]+)\/tool\.yaml$/.exec(tool.path)?.[1];
    return folder === undefined ? [] : [{ tool, folder }];
  });
  const odd = placed.filter(
    ({ tool, folder }) => tool.name !== folder && tool.name.replace(/[^\w.-]/g, '-') !== folder,
  );
  // Where folders are numbered or named by another rule, they say nothing.
  if (odd.length === 0 || (odd.length > 2 && odd.length === placed.length)) return [];
  return odd.map(({ tool, folder }) => ({
    label: 'tool_schema_error',
    component: 'tool',
    path: `${tool.path}#/name`,
    mechanism: 'tool-named-otherwise',
    explanation: `The tool in ${tool.path} calls itself "${tool.name}": one of the two names is wrong.`,
    confidence: odd.some((other) => other.folder === tool.name) ? 0.9 : 0.75,
    quotes: [{ path: `${tool.path}#/name`, quote: tool.name }],
    about: [tool.name],
    repair: [{ path: `${tool.path}#/name`, old: tool.name, value: folder }],
  }));
}
