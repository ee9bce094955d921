import { isRecord } from '../../base/is-record.ts';
import { pointerStep } from '../../base/json-pointer.ts';
import type { ToolCall } from '../../trajectory/trajectory.ts';
import { callsWithin, writtenCalls } from '../written-calls.ts';
import { componentOfPointer } from './component-of-words.ts';
import { type FactTool, type HarnessFacts, nameWords } from './harness-facts.ts';

type Json = Record<string, unknown>;

const TOOL_KEYS =
  /^(tools?|functions?|apis?|actions|commands|operations|capabilit(y|ies)|abilities|tool_?(specs?|set|box|kit|definitions?|list|schemas?)|(available|allowed|enabled)_?(tools|functions))$/i;
/** Whether a key names the place of routines. */
export const SKILL_KEYS =
  /(skill|playbook|routine|recipe|procedure|workflow|runbook|macro|manual|know_?-?how|how_?-?to|guide|checklist|sop)s?$/i;
const EXAMPLE_KEYS = /(example|few_?shot|shot|demonstration|demo|exemplar)s?$/i;
const SCHEMA_KEYS = [
  'parameters',
  'input_schema',
  'inputSchema',
  'schema',
  'args_schema',
  'arguments',
  'args',
  'params',
  'inputs',
  'input',
];
const DESCRIPTION_KEYS = ['description', 'desc', 'doc', 'docstring', 'summary', 'about', 'usage', 'purpose'];
const LONG_TEXT = 40;

/** Facts of a harness that is free JSON, found by shape and by the words of its keys; paths are JSON pointers into it. Never throws. */
export function factsOfJson(harness: unknown): HarnessFacts {
  const facts: HarnessFacts = { prompts: [], tools: [], examples: [], skills: [], settings: [] };
  if (typeof harness === 'string') facts.prompts.push({ path: '', name: 'prompt', text: harness });
  else collect(harness, '', facts);
  return facts;
}

function collect(value: unknown, path: string, facts: HarnessFacts): void {
  if (value === null || typeof value !== 'object') {
    collectLeaf(value, path, facts);
    return;
  }
  if (
    Array.isArray(value) &&
    value.every((item) => isRecord(item) && typeof item.role === 'string' && 'content' in item)
  ) {
    for (const [index, item] of value.entries()) {
      if (typeof item.content === 'string')
        facts.prompts.push({ path: `${path}/${index}/content`, name: String(item.role), text: item.content });
    }
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    const place = `${path}${pointerStep(key)}`;
    if (typeof member === 'object' && member !== null && (TOOL_KEYS.test(key) || areTools(member)))
      collectTools(member, place, facts);
    else if (SKILL_KEYS.test(key)) collectTexts(member, place, facts.skills);
    else if (EXAMPLE_KEYS.test(key) && typeof member === 'object') collectExamples(member, place, facts);
    else collect(member, place, facts);
  }
}

/** Things with a name and a schema of arguments are tools, whatever their list is called. */
function areTools(member: object): boolean {
  if (!Array.isArray(member) || member.length === 0) return false;
  return member.every(
    (item) =>
      isRecord(item) &&
      [item.name, item.id, item.tool].some((name) => typeof name === 'string') &&
      SCHEMA_KEYS.slice(0, 5).some((key) => isRecord(item[key])),
  );
}

function collectLeaf(value: unknown, path: string, facts: HarnessFacts): void {
  const name = path.split('/').at(-1) ?? '';
  const component = componentOfPointer(path);
  const isProse =
    typeof value === 'string' && (value.length >= LONG_TEXT || value.trim() === '') && /\s|^$/.test(value);
  if (
    typeof value === 'string' &&
    (component === 'prompt' || (isProse && component === 'settings' && value.length >= LONG_TEXT))
  ) {
    facts.prompts.push({ path, name, text: value });
    return;
  }
  if (value === undefined) return;
  facts.settings.push({
    path,
    words: path.split('/').flatMap(nameWords),
    value: value as string | number | boolean | null,
    component,
  });
}

function collectTools(value: object, path: string, facts: HarnessFacts): void {
  for (const [key, item] of Object.entries(value)) {
    const place = `${path}${pointerStep(key)}`;
    const tool = Array.isArray(value) ? readTool(item, place) : readTool(item, place, key);
    if (tool !== null) facts.tools.push(tool);
    if (isRecord(item)) collectToolSettings(item, place, facts);
  }
}

function readTool(item: unknown, path: string, key?: string): FactTool | null {
  if (typeof item === 'string') {
    const name = key ?? item;
    return {
      path,
      name,
      namePath: key === undefined ? path : null,
      isNamed: key === undefined,
      description: key === undefined ? '' : item,
      descriptionPath: path,
      parameters: null,
      parametersPath: `${path}/parameters`,
    };
  }
  if (!isRecord(item)) return null;
  const inner = isRecord(item.function) ? item.function : item;
  const place = inner === item ? path : `${path}/function`;
  const nameKey = ['name', 'tool', 'id'].find((candidate) => (inner[candidate] ?? null) !== null);
  const name = nameKey === undefined ? key : inner[nameKey];
  if (typeof name !== 'string') return null;
  const described = DESCRIPTION_KEYS.find((candidate) => typeof inner[candidate] === 'string') ?? 'description';
  const schemaKey = SCHEMA_KEYS.find((candidate) => isRecord(inner[candidate]) || Array.isArray(inner[candidate]));
  return {
    path: place,
    name,
    namePath: nameKey === undefined ? null : `${place}/${nameKey}`,
    isNamed: nameKey !== undefined,
    description: typeof inner[described] === 'string' ? inner[described] : '',
    descriptionPath: `${place}/${described}`,
    parameters: schemaKey === undefined ? null : asSchema(inner[schemaKey]),
    parametersPath: `${place}/${schemaKey ?? 'parameters'}`,
  };
}

/** A list of `{name, type, …}` or of names as an object schema. */
function asSchema(value: unknown): Json {
  if (isRecord(value)) return value;
  const members = (Array.isArray(value) ? value : []).flatMap((item): [string, Json][] => {
    if (typeof item === 'string') return [[item, {}]];
    return isRecord(item) && typeof item.name === 'string' ? [[item.name, item]] : [];
  });
  const required = members.filter(([, member]) => member.required === true).map(([name]) => name);
  return { type: 'object', properties: Object.fromEntries(members), required };
}

function collectToolSettings(item: Json, path: string, facts: HarnessFacts): void {
  for (const [key, value] of Object.entries(item)) {
    if (typeof value === 'object' || ['name', 'description', 'type', 'id', 'desc', 'doc'].includes(key)) continue;
    if (typeof value === 'function' || value === undefined) continue;
    facts.settings.push({
      path: `${path}${pointerStep(key)}`,
      words: nameWords(key),
      value: value as string | number | boolean,
      component: 'tool',
    });
  }
}

function collectTexts(value: unknown, path: string, into: HarnessFacts['skills']): void {
  if (typeof value === 'string') {
    into.push({ path, name: path.split('/').at(-1) ?? '', text: value });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    const place = `${path}${pointerStep(key)}`;
    if (typeof item === 'string')
      into.push({ path: place, name: Array.isArray(value) ? (item.split(/[\s:]/)[0] ?? '') : key, text: item });
    else if (isRecord(item)) {
      const text = ['text', 'content', 'body', 'instructions', 'steps', 'description', 'routine', 'prompt']
        .map((name) => item[name])
        .find((part) => part !== undefined);
      const name = typeof item.name === 'string' ? item.name : key;
      into.push({
        path: place,
        name,
        text: text === undefined ? '' : typeof text === 'string' ? text : JSON.stringify(text),
      });
    }
  }
}

function collectExamples(value: unknown, path: string, facts: HarnessFacts): void {
  const names = facts.tools.map(({ name }) => name);
  for (const [key, item] of Object.entries((value ?? {}) as object)) {
    const plain = typeof item === 'string' ? item : textsOf(item).join('\n');
    const calls: ToolCall[] = [...callsWithin(item, names), ...writtenCalls(plain, names).map(({ call }) => call)];
    const problem = isRecord(item)
      ? [item.problem, item.input, item.task, item.question, item.user].find((part) => typeof part === 'string')
      : undefined;
    facts.examples.push({
      path: `${path}${pointerStep(key)}`,
      problem: problem ?? '',
      text: plain,
      calls: distinct(calls),
    });
  }
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

function distinct(calls: readonly ToolCall[]): ToolCall[] {
  const seen = new Set<string>();
  return calls.filter((call) => !seen.has(JSON.stringify(call)) && seen.add(JSON.stringify(call)));
}
