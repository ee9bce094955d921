import { contentHash } from '../base/content-hash.ts';
import type { Harness } from '../harness/harness.ts';
import { harnessFromFiles } from '../harness/parse-harness.ts';
import type { ChatMessage, FinishReason } from '../model/model-backend.ts';
import type { Outcome, Trajectory, TrajectoryEvent } from '../trajectory/trajectory.ts';

export const HARNESS = harnessFromFiles(
  new Map([
    ['harness.yaml', 'name: test\n'],
    ['prompts/system.md', 'Use the tools.\n{{tools}}\n'],
    ['prompts/tool-result.md', 'Observation: {{result}}\n'],
    [
      'tools/lookup/tool.yaml',
      'parameters: {type: object, properties: {key: {type: string}}, required: [key]}\nbackend: {kind: record}\n',
    ],
  ]),
);

export const CALL = { tool: 'lookup', arguments: { key: 'a' } };
export const RAW = '{"name":"lookup","arguments":{"key":"a"}}';

export type Draft = TrajectoryEvent extends infer Event
  ? Event extends TrajectoryEvent
    ? Omit<Event, 'id' | 'atMs'>
    : never
  : never;

export function says(
  turn: number,
  text: string,
  finishReason: FinishReason = 'end',
  sent = 'Use the tool lookup.',
): Draft {
  const messages: ChatMessage[] = [
    { role: 'system', content: sent },
    { role: 'user', content: 'What is a?' },
  ];
  return {
    type: 'model-called',
    turn,
    turnKind: 'working',
    messages,
    sampling: { temperature: 0, topP: 1, topK: 0 },
    seed: 1,
    maxTokens: 50,
    stop: [],
    text,
    finishReason,
    usage: { promptTokens: 10, completionTokens: 5 },
  };
}
export const calls = (turn: number): Draft => ({ type: 'call-parsed', turn, call: CALL, raw: RAW });
export const returns = (turn: number, value: string): Draft => ({ type: 'tool-returned', turn, call: CALL, value });
export const silent = (turn: number): Draft => ({ type: 'no-call', turn });
export const unreadable = (turn: number): Draft => ({
  type: 'call-unreadable',
  turn,
  raw: '{"name":"look',
  problem: 'no closing brace',
});
export const answers = (answer: string | null, from: 'text' | 'tool' = 'text'): Draft => ({
  type: 'answered',
  from,
  answer,
});

export function rollout(
  events: Draft[],
  {
    extracted = '7',
    score = 0,
    outcome,
    problem = 'What is a?',
  }: { extracted?: string | null; score?: number; outcome?: Outcome; problem?: string } = {},
  harness: Harness = HARNESS,
): Trajectory {
  return {
    version: 1,
    identity: {
      harness: harness.hash,
      model: { base: contentHash('base'), adapter: null },
      task: contentHash(events),
      split: 'train',
      repeat: 0,
      seed: 1,
      verifier: contentHash('verifier'),
      sampling: null,
    },
    taskId: 't',
    group: contentHash({ events, problem }),
    problem,
    events: events.map((event, index) => ({ ...event, id: `e${index}`, atMs: index }) as TrajectoryEvent),
    answer: extracted,
    outcome: outcome ?? { kind: 'scored', score, extracted, why: '' },
    usage: { promptTokens: 10, completionTokens: 5 },
    wallMs: 1,
  };
}
