import { describe, expect, it } from 'vitest';
import { ProviderError } from '../model/provider-error.ts';
import { javaScriptSandbox } from '../sandbox/javascript-sandbox.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { pauseBefore } from './back-off.ts';
import { calculate, callOf, harnessWith, rollOut } from './scripted-rollout.fixture.ts';

describe('retry', () => {
  it('of model errors pauses as φ says, and says so in an event', async () => {
    let calls = 0;
    const flaky = () => {
      calls++;
      if (calls < 3) throw new ProviderError('engine', 'crashed');
      return '42';
    };
    const harness = harnessWith({ 'retry.yaml': 'pause: { firstMs: 2, factor: 3, longestMs: 5 }\n' });
    const { events } = await rollOut(harness, flaky);
    const retried = events.filter((event) => event.type === 'retried');
    expect(retried.map(({ what, attempt, pauseMs }) => [what, attempt, pauseMs])).toEqual([
      ['model', 1, 2],
      ['model', 2, 5],
    ]);
  });

  it('pauses grow by their factor up to the longest; what a server asks for goes first', () => {
    const { retry } = harnessWith();
    expect([1, 2, 3, 20].map((attempt) => pauseBefore(attempt, retry))).toEqual([250, 500, 1000, 30_000]);
    expect(pauseBefore(1, retry, 7_000)).toBe(7_000);
  });

  it('the same failing call, unchanged, is refused without being run after its limit', async () => {
    const harness = harnessWith({ 'retry.yaml': 'sameFailingCall: 2\ntoolErrors: 9\n' });
    const { events } = await rollOut(harness, [
      calculate('6/0'),
      calculate('6/0'),
      calculate('6/0'),
      calculate('7/0'),
      '42',
    ]);
    const types = events.map(({ type }) => type).filter((type) => type.startsWith('tool-'));
    expect(types).toEqual(['tool-failed', 'tool-failed', 'tool-refused', 'tool-failed']);
    expect(events.find((event) => event.type === 'tool-refused')).toMatchObject({
      problem: 'this call has failed 2 times unchanged; change it or do without',
    });
  });

  it('a tool that ran out of time is run again with back-off, one that failed for its arguments is not', async () => {
    let runs = 0;
    const sandbox = javaScriptSandbox();
    const session = sandbox.openSession();
    const slowOnce: Sandbox = {
      ...sandbox,
      openSession: () => ({
        ...session,
        call: async () => {
          runs++;
          return runs === 1
            ? { kind: 'timeout', problem: 'no value within 5 ms', output: '' }
            : { kind: 'ok', value: '42', output: '' };
        },
      }),
    };
    const tool = 'parameters: { type: object, properties: {} }\nbackend: { kind: js, entry: main.js }\n';
    const files = {
      'tools/slow/tool.yaml': tool,
      'tools/slow/main.js': '',
      'retry.yaml': 'toolRuns: 1\npause: { firstMs: 1 }\n',
    };
    const { events } = await rollOut(harnessWith(files), [callOf('slow', {}), calculate('1/0'), '42'], {
      toolHosts: { javaScript: slowOnce, python: null },
    });
    const types = events.map(({ type }) => type).filter((type) => type === 'retried' || type.startsWith('tool-'));
    expect(types).toEqual(['retried', 'tool-returned', 'tool-failed']);
  });
});
