import { nearest } from '../../base/nearest.ts';
import { containment, contentWords } from '../directives.ts';
import { type FactTool, type HarnessFacts, nameWords } from '../harness-facts/harness-facts.ts';
import { type ToolReference, toolReferences } from '../harness-facts/tool-references.ts';
import type { HarnessDefect } from './harness-defect.ts';

/**
 * φ speaks of a tool that it does not have. Where one offered tool is named nowhere, it is the same tool under another name; where the
 * name stands in one prompt only and the examples know the offered tools, the prompt is what is wrong; otherwise the tool is missing.
 */
export function danglingToolName(facts: HarnessFacts): HarnessDefect[] {
  const names = new Set(facts.tools.map(({ name }) => name));
  const references = toolReferences(facts).filter((reference) => reference.isCall || names.size > 0);
  const dangling = Map.groupBy(
    references.filter(({ name }) => !names.has(name)),
    ({ name }) => name,
  );
  return [...dangling].flatMap(([name, places]) => {
    if (!isCredible(name, places, facts)) return [];
    return [defectOf(facts, references, name, places)];
  });
}

/** A spoken name alone must look like an identifier: two words joined, or near a tool's name. */
function isCredible(name: string, places: readonly ToolReference[], facts: HarnessFacts): boolean {
  if (places.some(({ isCall }) => isCall)) return true;
  const isSkillOrSetting =
    facts.skills.some((skill) => skill.name === name) || facts.settings.some(({ words }) => words.join('_') === name);
  const isArgument = facts.tools.some(({ parameters }) => JSON.stringify(parameters ?? {}).includes(`"${name}"`));
  if (isSkillOrSetting || isArgument) return false;
  return (
    /[_.]/.test(name) ||
    nearest(
      name,
      facts.tools.map((tool) => tool.name),
    ) !== undefined ||
    places.some(({ quote }) => /tool|function/i.test(quote))
  );
}

function defectOf(
  facts: HarnessFacts,
  references: readonly ToolReference[],
  name: string,
  places: readonly ToolReference[],
): HarnessDefect {
  const quotes = places.slice(0, 3).map(({ path, quote }) => ({ path, quote }));
  const used = new Set(references.map((reference) => reference.name));
  const unnamed = facts.tools.filter((tool) => !used.has(tool.name));
  const twin =
    unnamed.find((tool) => isAkin(tool, name, facts)) ??
    (facts.tools.length === 1 ? unnamed.find((tool) => isSpokenOf(tool, name)) : undefined);
  const promptsOnly = places.every(({ path }) => facts.prompts.some((prompt) => prompt.path === path));
  const isKnownElsewhere = references.some(
    (reference) =>
      reference.isCall &&
      facts.tools.some((tool) => tool.name === reference.name) &&
      !places.some(({ path }) => path === reference.path),
  );
  const near = nearest(
    name,
    facts.tools.map((tool) => tool.name),
  );
  const wrongPrompt = facts.prompts.find(({ path }) => path === places[0]?.path);
  if (promptsOnly && wrongPrompt !== undefined && near !== undefined && (isKnownElsewhere || twin === undefined)) {
    return {
      label: 'prompt_ambiguity',
      component: 'prompt',
      path: wrongPrompt.path,
      mechanism: 'prompt-names-wrong-tool',
      explanation: `The prompt speaks of "${name}", while the tool is called "${near}".`,
      confidence: 0.85,
      quotes,
      about: [name, near],
      repair: [{ path: wrongPrompt.path, old: wrongPrompt.text, value: withName(wrongPrompt.text, name, near) }],
    };
  }
  if (twin !== undefined) {
    return {
      label: 'tool_schema_error',
      component: 'tool',
      path: twin.path,
      mechanism: 'tool-renamed',
      explanation: `Instructions and examples call "${name}", but the tool is offered as "${twin.name}".`,
      confidence: 0.9,
      quotes: [...quotes, { path: twin.path, quote: twin.name }],
      about: [name, twin.name],
      repair:
        twin.namePath === null
          ? null
          : [{ path: twin.namePath, ...(twin.isNamed ? { old: twin.name } : {}), value: name }],
    };
  }
  return {
    label: 'tool_schema_error',
    component: 'tool',
    path: facts.tools[0]?.path.replace(/[^/]+(\/tool\.yaml)?$/, '') || 'tools',
    mechanism: 'tool-missing',
    explanation: `φ tells the model to call "${name}", and no such tool is offered.`,
    confidence: places.some(({ isCall }) => isCall) ? 0.9 : 0.7,
    quotes,
    about: [name],
    repair: null,
  };
}

/** A text that speaks of `near` where it spoke of `name`, which may be a part of it: only the whole word counts. */
function withName(text: string, name: string, near: string): string {
  return text.replace(new RegExp(`(?<![\\w-])${RegExp.escape(name)}(?![\\w-])`, 'g'), () => near);
}

/** Whether a tool could be the one that is called by another name: near in spelling, shared words, or taking the arguments shown. */
function isAkin(tool: FactTool, name: string, facts: HarnessFacts): boolean {
  if (nearest(name, [tool.name]) !== undefined) return true;
  if (nameWords(tool.name).some((word) => word.length > 2 && nameWords(name).includes(word))) return true;
  const shown = facts.examples.flatMap(({ calls }) => calls).find((call) => call.tool === name);
  const properties = Object.keys((tool.parameters?.properties ?? {}) as object);
  return (
    shown !== undefined &&
    Object.keys(shown.arguments).length > 0 &&
    Object.keys(shown.arguments).every((key) => properties.includes(key))
  );
}

/** Whether the description of a tool holds a word of the name. */
function isSpokenOf(tool: FactTool, name: string): boolean {
  return containment(contentWords(nameWords(name).join(' ')), contentWords(tool.description)) > 0;
}
