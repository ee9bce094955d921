import { stringify } from 'yaml';
import type { Harness } from '../../harness/harness.ts';
import { harnessFromFiles } from '../../harness/parse-harness.ts';
import type { Trajectory } from '../../trajectory/trajectory.ts';
import { firstRequest } from '../sent-text.ts';
import { jsonObjects } from '../written-calls.ts';

/**
 * What a rollout itself shows of its φ, where the real one is not at hand: system prompt, tools offered as JSON, limits, stop strings. Everything
 * else is at its default, so rules about the rest stay silent or say so.
 */
export function harnessOfRollout(trajectory: Trajectory): Harness {
  const first = firstRequest(trajectory);
  const system =
    first?.messages
      .filter(({ role }) => role === 'system')
      .map(({ content }) => content)
      .join('\n') ?? '';
  const turns = Math.max(1, ...trajectory.events.map((event) => ('turn' in event ? event.turn + 1 : 1)));
  const settings = {
    name: 'as-sent',
    protocol: { stop: first?.stop ?? [] },
    limits: { turns: Math.max(4, turns), tokensPerTurn: first?.maxTokens ?? 256 },
    sampling: first?.sampling ?? {},
  };
  const tools = jsonObjects(
    (first?.messages ?? [])
      .filter(({ role }) => role !== 'assistant')
      .map(({ content }) => content)
      .join('\n')
      .slice(0, 50_000),
  ).flatMap(({ value }) => toolFileOf(value));
  const files = new Map<string, string>([
    ['harness.yaml', stringify(settings)],
    ['prompts/system.md', `${system}\n`],
  ]);
  for (const [path, text] of tools) files.set(path, text);
  try {
    return harnessFromFiles(files);
  } catch {
    // A tool list of another kind than ours is no reason to give up: the prompt alone still tells something.
    return harnessFromFiles(
      new Map([
        ['harness.yaml', stringify(settings)],
        ['prompts/system.md', `${system}\n`],
      ]),
    );
  }
}

function toolFileOf(value: Record<string, unknown>): [string, string][] {
  const { name, description, parameters } = value;
  if (typeof name !== 'string' || typeof parameters !== 'object' || parameters === null) return [];
  const folder = name.replace(/[^A-Za-z0-9._-]/g, '-').replace(/^[^A-Za-z0-9]+/, '') || 'tool';
  const tool = {
    name,
    description: typeof description === 'string' ? description : '',
    parameters,
    backend: { kind: 'record' },
  };
  return [[`tools/${folder}/tool.yaml`, stringify(tool)]];
}
