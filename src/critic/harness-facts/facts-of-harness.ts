import type { ComponentKind, Harness } from '../../harness/harness.ts';
import { type FactSetting, type HarnessFacts, nameWords } from './harness-facts.ts';

const known = new WeakMap<Harness, HarnessFacts>();

/** Facts of a φ in our own format; paths are patch paths. Made once per harness. */
export function factsOfHarness(harness: Harness): HarnessFacts {
  const made = known.get(harness);
  if (made !== undefined) return made;
  const facts: HarnessFacts = {
    prompts: Object.entries(harness.prompts).map(([name, text]) => ({ path: `prompts/${name}.md`, name, text })),
    tools: harness.tools.map(({ name, description, parameters }) => {
      const file = toolFile(harness, name);
      return {
        path: file,
        name,
        namePath: `${file}#/name`,
        isNamed: /^name:/m.test(harness.files.get(file) ?? ''),
        description,
        descriptionPath: `${file}#/description`,
        parameters,
        parametersPath: `${file}#/parameters`,
      };
    }),
    examples: harness.examples.map(({ name, problem, steps }) => ({
      path: `examples/${name}.yaml`,
      problem,
      text: steps.map((step) => step.text ?? step.result ?? '').join('\n'),
      calls: steps.flatMap(({ call }) => (call === undefined ? [] : [call])),
    })),
    skills: harness.skills.map(({ name, text }) => ({ path: `skills/${name}/SKILL.md`, name, text })),
    settings: [
      ...leaves('harness.yaml#', harness.settings, 'settings'),
      ...leaves('memory.yaml#', harness.memory, 'memory'),
      ...leaves('retry.yaml#', harness.retry, 'retry'),
      ...harness.middleware.flatMap(({ id, code: _code, ...settings }) =>
        leaves(`middleware/${id}.yaml#`, settings, 'middleware'),
      ),
    ],
  };
  known.set(harness, facts);
  return facts;
}

/** File that defines a tool, its folder being called as it likes. */
export function toolFile(harness: Harness, name: string): string {
  const own = `tools/${name}/tool.yaml`;
  if (harness.files.has(own)) return own;
  const files = [...harness.files].filter(([file]) => /^tools\/[^/]+\/tool\.yaml$/.test(file));
  const named = files.find(([, text]) => new RegExp(`^name:\\s*["']?${RegExp.escape(name)}["']?\\s*$`, 'm').test(text));
  return named?.[0] ?? own;
}

function leaves(path: string, value: unknown, component: ComponentKind): FactSetting[] {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) {
    return [{ path, words: nameWords(path), value: value as FactSetting['value'], component }];
  }
  if (typeof value !== 'object') return [];
  return Object.entries(value as object).flatMap(([key, member]) => leaves(`${path}/${key}`, member, component));
}
