import { describe, expect, it } from 'vitest';
import { modelCalls } from '../trajectory/model-calls.ts';
import { readNativeCalls } from './native-calls.ts';
import { harnessWith, rollOut } from './scripted-rollout.fixture.ts';

const NATIVE = 'protocol: { dialect: { kind: native } }\nlimits: { turns: 4 }\n';
const call = (id: string, given: string, name = 'calculator') => ({ id, name, arguments: given });

describe('the native tool protocol', () => {
  it('offers tools beside the messages, runs the calls of a turn and answers each by its id', async () => {
    const requests: unknown[] = [];
    const trajectory = await rollOut(harnessWith({}, NATIVE), (request) => {
      requests.push(request.tools);
      if (request.messages.length > 1) return 'It is 42.';
      return { text: '', calls: [call('a', '{"expression": "6*7"}'), call('b', '{"expression":"1+1"}')] };
    });
    expect(requests[0]).toMatchObject([{ name: 'calculator', parameters: { type: 'object' } }]);
    expect(modelCalls(trajectory)[1]?.messages.slice(1)).toEqual([
      { role: 'assistant', content: '', calls: [call('a', '{"expression":"6*7"}'), call('b', '{"expression":"1+1"}')] },
      { role: 'tool', content: '42', callId: 'a' },
      { role: 'tool', content: '2', callId: 'b' },
    ]);
    expect(trajectory).toMatchObject({ answer: 'It is 42.', outcome: { score: 1 } });
  });

  it.each([
    ['a quotation mark inside', '{"expression": "He said "hi""}'],
    ['an unterminated string', '{"expression": "6*'],
    ['two objects glued together', '{"expression": "6"}{"expression": "7"}'],
    ['no object', '"6*7"'],
  ])('malformed arguments (%s) keep the session valid, tell the model, and are kept raw', async (_case, raw) => {
    const trajectory = await rollOut(harnessWith({}, NATIVE), ({ messages }) =>
      messages.length > 1 ? 'It is 42.' : { text: '', calls: [call('a', raw), call('b', '{"expression": "6*7"}')] },
    );
    expect(trajectory.events.find(({ type }) => type === 'call-unreadable')).toMatchObject({ raw });
    const [, assistant, ...results] = modelCalls(trajectory)[1]?.messages ?? [];
    expect(assistant?.calls?.map(({ arguments: given }) => JSON.parse(given))).toEqual([{}, { expression: '6*7' }]);
    expect(results.map(({ callId, content }) => [callId, content])).toEqual([
      ['a', 'Error: the arguments of calculator are not the JSON of an object'],
      ['b', '42'],
    ]);
  });

  it('no arguments at all are an empty object', () => {
    expect(readNativeCalls('', [call('a', '')])).toMatchObject({
      calls: [{ call: { arguments: {} } }],
      unreadable: null,
    });
  });

  it('shows worked examples as native calls, and asks the last turn without calls', async () => {
    const example =
      'problem: 1+1?\nsteps:\n  - call: { tool: calculator, arguments: { expression: "1+1" } }\n    result: "2"\n  - text: "2"\n';
    const may: (boolean | undefined)[] = [];
    const settings = NATIVE.replace('turns: 4', 'turns: 2');
    const trajectory = await rollOut(harnessWith({ 'examples/one.yaml': example }, settings), ({ mayCall }) => {
      may.push(mayCall);
      return { text: 'I call.', calls: [call('a', '{"expression":"6*7"}')] };
    });
    expect(modelCalls(trajectory)[0]?.messages.slice(0, 4)).toEqual([
      { role: 'user', content: '1+1?' },
      { role: 'assistant', content: '', calls: [call('one-0', '{"expression":"1+1"}')] },
      { role: 'tool', content: '2', callId: 'one-0' },
      { role: 'assistant', content: '2' },
    ]);
    expect(may).toEqual([true, false]);
  });

  it('an engine without such a protocol leaves the rollout unscored and says what to do', async () => {
    const { outcome } = await rollOut(harnessWith({}, NATIVE), ['42'], { backend: { nativeTools: false } });
    expect(outcome).toMatchObject({ kind: 'unscored', boundary: 'provider' });
    expect(outcome.why).toContain('Use an OpenAI-compatible server');
  });
});
