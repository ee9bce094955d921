import { writtenCalls } from '../written-calls.ts';
import type { FactText, HarnessFacts } from './harness-facts.ts';

/** A place of φ that names a tool as something to call. `isCall`: it shows a call, and does not only speak of it. */
export interface ToolReference {
  path: string;
  name: string;
  quote: string;
  isCall: boolean;
}

/** All tools that examples, prompts and skills name as callable, the tools' own definitions left out. Skeletons such as `"name": "..."` do not count. */
export function toolReferences(facts: HarnessFacts): ToolReference[] {
  const names = facts.tools.map(({ name }) => name);
  return [
    ...facts.examples.flatMap(({ path, calls }) =>
      calls.map(({ tool, arguments: given }) => ({
        path,
        name: tool,
        quote: `${tool}(${JSON.stringify(given)})`,
        isCall: true,
      })),
    ),
    ...[...facts.prompts, ...facts.skills].flatMap((place) => [...shownCalls(place, names), ...spokenNames(place)]),
  ];
}

function shownCalls({ path, text }: FactText, names: readonly string[]): ToolReference[] {
  return writtenCalls(text, names)
    .filter(({ call }) => isName(call.tool))
    .map(({ call, raw }) => ({ path, name: call.tool, quote: raw, isCall: true }));
}

const SPOKEN = [
  /\b(?:the|use|call|calling|using|invoke|with|run|via)\s+[`"'“]([A-Za-z][\w.-]*)[`"'”]/g,
  /[`"'“]([A-Za-z][\w.-]*)[`"'”]\s+(?:tool|function|api|command)\b/gi,
  /\b(?:the|use|call|using|invoke|with)\s+([a-z][\w]*_[\w]+)\b/g,
  /\b(?:use|call|using|invoke|with)\s+(?:the\s+)?([a-zA-Z][\w.-]*)\s+(?:tool|function)\b/g,
  /\b(?:tool|function)\s+([a-z]\w*_\w+)/g,
  /\b(?:tool|function)\s+(?:called|named)\s+[`"'“]?([A-Za-z][\w.-]*)/g,
  /(?<![\w./])([a-z]+_[a-z_\d]+)\s*\(/g,
];

const NO_NAMES = new Set([
  'the',
  'a',
  'an',
  'this',
  'that',
  'any',
  'each',
  'one',
  'right',
  'provided',
  'available',
  'given',
  'other',
  'same',
  'above',
  'name',
  'tool',
  'tools',
  'function',
  'correct',
  'appropriate',
  'following',
  'your',
  'every',
  'matching',
  'no',
  'it',
  'json',
  'external',
  'relevant',
  'suitable',
  'best',
  'single',
  'proper',
  'calling',
  'first',
  'second',
  'next',
]);

function spokenNames({ path, text }: FactText): ToolReference[] {
  return SPOKEN.flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const name = (match[1] ?? '').replace(/[.,]$/, '');
      return isName(name) ? [{ path, name, quote: match[0], isCall: false }] : [];
    }),
  );
}

function isName(name: string): boolean {
  return /^[A-Za-z][\w.-]{1,80}$/.test(name) && !NO_NAMES.has(name.toLowerCase()) && !/^[A-Z_]+$/.test(name);
}
