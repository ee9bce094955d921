import { describe, expect, it } from 'vitest';
import { modelCalls } from '../trajectory/model-calls.ts';
import { calculate, callOf, harnessWith, rollOut } from './scripted-rollout.fixture.ts';

const skill = (load: string, text: string, description = 'Helps.') =>
  `---\nname: plan\ndescription: ${description}\nmetadata:\n  load: ${load}\n---\n${text}\n`;
const firstRequest = async (files: Record<string, string>) => {
  const trajectory = await rollOut(harnessWith(files), ['42']);
  return { messages: modelCalls(trajectory)[0]?.messages ?? [], events: trajectory.events };
};

describe('skills', () => {
  it('without front matter, or with load: always, stand in every system prompt', async () => {
    const { messages } = await firstRequest({
      'skills/a/SKILL.md': 'Bare.',
      'skills/b/SKILL.md': skill('always', 'Plan.'),
    });
    expect(messages[0]).toEqual({ role: 'system', content: 'Bare.\n\nPlan.' });
  });

  it('by rule stand with the task where the pattern fits its problem, and say so in an event', async () => {
    const files = {
      'skills/product/SKILL.md': skill('rule\n  when: "\\\\d+\\\\s*\\\\*"', 'Multiply carefully.'),
      'skills/sum/SKILL.md': skill('rule\n  when: "sum of"', 'Add carefully.'),
    };
    const { messages, events } = await firstRequest(files);
    expect(messages).toEqual([{ role: 'user', content: 'What is 6*7?\n\nMultiply carefully.' }]);
    expect(events[0]).toMatchObject({ type: 'skill-loaded', skill: 'product', by: 'rule' });
  });

  it('by call are named in the prompt and loaded by the model, with the files beside them', async () => {
    const files = {
      'skills/plan/SKILL.md': skill('call', 'First plan. See steps.md.', 'Plans steps.'),
      'skills/plan/steps.md': 'One step at a time.',
    };
    const load = (name: string) => callOf('load_skill', { name });
    const replies = [load('plan'), load('plan/steps.md'), load('plam'), calculate('6*7'), 'It is 42.'];
    const trajectory = await rollOut(harnessWith(files), replies);
    const calls = modelCalls(trajectory);
    expect(calls[0]?.messages[0]?.content).toBe('Skills you can read with load_skill:\n- plan: Plans steps.');
    expect(calls.slice(1, 4).map(({ messages }) => messages.at(-1)?.content)).toEqual([
      'First plan. See steps.md.',
      'One step at a time.',
      'Error: there is no skill "plam", did you mean "plan"? (known: plan)',
    ]);
    const loaded = trajectory.events.filter((event) => event.type === 'skill-loaded');
    expect(loaded.map(({ skill: name, by }) => [name, by])).toEqual([
      ['plan', 'call'],
      ['plan/steps.md', 'call'],
    ]);
    expect(trajectory).toMatchObject({ outcome: { score: 1 } });
  });

  it('a tool of φ’s own with the back end load_skill takes the place of the built-in one', async () => {
    const tool =
      'name: open\nparameters: { type: object, properties: { which: { type: string } }, required: [which] }\nbackend: { kind: builtin, name: load_skill }\n';
    const files = { 'skills/plan/SKILL.md': skill('call', 'First plan.'), 'tools/open/tool.yaml': tool };
    const trajectory = await rollOut(harnessWith(files), [callOf('open', { which: 'plan' }), '42']);
    expect(modelCalls(trajectory)[1]?.messages.at(-1)?.content).toBe('First plan.');
  });

  it.each([
    ['an unknown way to load', skill('sometimes', 'x'), 'metadata.load'],
    ['a rule without a pattern', skill('rule', 'x'), 'needs metadata.when'],
    ['a pattern that cannot be read', skill('rule\n  when: "(a"', 'x'), 'not a pattern'],
    ['front matter that is not YAML', '---\na: [\n---\nx', 'not valid YAML'],
  ])('are refused for %s', (_case, text, message) => {
    expect(() => harnessWith({ 'skills/plan/SKILL.md': text })).toThrow(message);
  });

  it('a dialect that cannot name a tool is refused beside the tool that loads skills', () => {
    const dialect = 'protocol: { dialect: { kind: tags, open: "<c>", close: "</c>", body: argument } }\n';
    expect(() => harnessWith({ 'skills/plan/SKILL.md': skill('call', 'x') }, dialect)).toThrow(/which of the 2 tools/);
  });
});
