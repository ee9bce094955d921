import { describe, expect, it } from 'vitest';
import { AbortedError } from '../../base/errors.ts';
import type { HarnessTool } from '../../harness/harness.ts';
import { BUILTIN_TOOLS, type BuiltinTool } from './builtin-tools.ts';
import { runBuiltin } from './run-builtin.ts';

const tool: HarnessTool = {
  name: 'demo',
  description: '',
  parameters: { type: 'object' },
  backend: { kind: 'builtin', name: 'demo' },
  limits: { wallMs: 20, outputCharacters: 10 },
};
const never = new AbortController().signal;
const run = (builtin: BuiltinTool, signal = never) =>
  runBuiltin(new Map([['demo', builtin]]), tool, 'demo', {}, signal);

describe('runBuiltin', () => {
  it('turns whatever a tool throws into a failure that the model is shown', async () => {
    const outcome = await run(() => {
      throw new TypeError('x is not a function');
    });
    expect(outcome).toEqual({ kind: 'failed', errorType: 'exception', problem: 'x is not a function' });
    expect(await run(() => Promise.reject(new Error('late')))).toMatchObject({ kind: 'failed', problem: 'late' });
  });

  it('ends a tool that takes too long', async () => {
    expect(await run(() => new Promise(() => {}))).toMatchObject({ kind: 'failed', errorType: 'timeout' });
  });

  it('passes an abort on', async () => {
    const controller = new AbortController();
    const running = run(() => new Promise(() => {}), controller.signal);
    controller.abort();
    await expect(running).rejects.toBeInstanceOf(AbortedError);
  });

  it('names the known built-ins when φ asks for one that does not exist', async () => {
    const outcome = await runBuiltin(BUILTIN_TOOLS, tool, 'abacus', {}, never);
    expect(outcome).toMatchObject({ kind: 'failed', errorType: 'unknown-builtin' });
    expect(outcome).toHaveProperty('problem', expect.stringContaining('calculator, run_js, run_python'));
  });
});
