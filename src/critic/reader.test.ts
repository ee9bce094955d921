import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { contentHash } from '../base/content-hash.ts';
import { scriptedBackend } from '../model/scripted-backend.ts';
import { askReader, countVotes } from './reader/ask-reader.ts';
import { commandReader } from './reader/command-reader.ts';
import { promptFiles } from './reader/critic-prompt.ts';
import type { ReaderReply } from './reader/critic-reader.ts';
import type { CriticSubject } from './reader/critic-subject.ts';
import { fitSubject } from './reader/fit-subject.ts';
import { modelReader } from './reader/model-reader.ts';
import { parseCritic } from './reader/parse-critic.ts';
import { END_MARK, readReply } from './reader/read-reply.ts';
import { scriptedReader, whole } from './reader/scripted-reader.fixture.ts';
import { composedCritic } from './reader-critic.ts';
import { answers, calls, HARNESS, RAW, returns, rollout, says, unreadable } from './rollout.fixture.ts';

const ANSWER = {
  label: 'prompt_ambiguity',
  component: 'prompt',
  path: 'prompts/system.md',
  mechanism: 'Nothing says what a call looks like.',
  severity: 1,
  confidence: 0.8,
  evidence: [{ event: 'e0', quote: 'It is 7.' }],
  repair: null,
};
const EVENTS = new Set(['e0']);
const text = (answer: unknown = ANSWER) => `${JSON.stringify(answer)}\n${END_MARK}`;

const SUBJECT: CriticSubject = {
  id: 's',
  problem: 'no calls',
  parts: [
    { title: 'Harness', lines: [] },
    { title: 'Run', lines: [{ event: 'e0', text: 'It is 7.' }] },
  ],
};

describe('readReply', () => {
  it('takes a whole answer, also after a closed think block', () => {
    expect(readReply(whole(text()), EVENTS)).toMatchObject({ ok: true });
    expect(readReply(whole(`<think>{"label": "perhaps"}</think>\n${text()}`), EVENTS)).toMatchObject({ ok: true });
  });

  it.each<[string, ReaderReply]>([
    ['cut by length', { kind: 'text', text: text(), isComplete: false }],
    ['never closed', whole(`<think>maybe ${text()}`)],
    ['does not end', whole(JSON.stringify(ANSWER))],
    ['does not end', whole(`${text()}\nAnd one more thing`)],
    ['0 JSON objects', whole(`It is the prompt.\n${END_MARK}`)],
    ['2 JSON objects', whole(`${JSON.stringify(ANSWER)}\n${text()}`)],
    ['label', whole(text({ ...ANSWER, label: 'bad luck' }))],
    ['confidence', whole(text({ ...ANSWER, confidence: 7 }))],
    ['evidence', whole(text({ ...ANSWER, evidence: [] }))],
    ['points at nothing', whole(text({ ...ANSWER, evidence: [{ event: 'e99', quote: 'x' }] }))],
    ['names no component', whole(text({ ...ANSWER, component: null }))],
    ['took too long', { kind: 'failed', why: 'it took too long' }],
  ])('refuses a reply: %s', (why, reply) => {
    expect(readReply(reply, EVENTS)).toMatchObject({ ok: false, why: expect.stringContaining(why) });
  });

  it('an agent error carries no place and no repair, whatever the reader wrote', () => {
    const reply = readReply(
      whole(text({ ...ANSWER, label: 'agent_error', repair: [{ path: 'x', old: null, new: 'y' }] })),
      EVENTS,
    );
    expect(reply).toMatchObject({ ok: true, value: { component: null, path: null, repair: null } });
  });
});

describe('askReader', () => {
  it('asks once more with less input after a refused reply, and uses nothing of the refused one', async () => {
    const reader = scriptedReader(
      { kind: 'text', text: text({ ...ANSWER, label: 'agent_error' }), isComplete: false },
      whole(text()),
    );
    const long: CriticSubject = {
      ...SUBJECT,
      parts: [SUBJECT.parts[0] as never, { title: 'Run', lines: [{ event: 'e0', text: 'word '.repeat(20_000) }] }],
    };
    const voted = await askReader(reader, long, { votes: 1 });
    expect(voted).toMatchObject({ answer: { label: 'prompt_ambiguity' }, agree: 1, invalid: 0 });
    expect(reader.prompts).toHaveLength(2);
    expect(reader.prompts[1]?.length).toBeLessThan((reader.prompts[0]?.length ?? 0) * 0.9);
  });

  it('counts a reply refused twice as invalid', async () => {
    const voted = await askReader(scriptedReader(whole('hm'), whole('hm')), SUBJECT, { votes: 1 });
    expect(voted).toMatchObject({
      answer: null,
      invalid: 1,
      standing: 'undecided',
      refusals: [expect.stringContaining(END_MARK)],
    });
  });

  const vote = (label = 'prompt_ambiguity') =>
    readReply(whole(text({ ...ANSWER, label, component: label === 'agent_error' ? null : 'prompt' })), EVENTS);
  it.each([
    [[vote(), vote(), vote(), vote()], 'firm'],
    [[vote(), vote(), vote(), vote('agent_error')], 'needs-replay'],
    [[vote(), vote(), vote(), readReply(whole('hm'), EVENTS)], 'needs-replay'],
    [[vote(), vote(), vote('agent_error'), vote('agent_error')], 'undecided'],
    [[vote()], 'needs-replay'],
  ] as const)('%# votes give the standing %s', (replies, standing) => {
    expect(countVotes(replies).standing).toBe(standing);
  });
});

describe('fitSubject', () => {
  const lines = Array.from({ length: 300 }, (_, index) => ({ event: `e${index}`, text: `step ${index} `.repeat(30) }));
  const subject: CriticSubject = {
    id: 's',
    problem: '',
    parts: [
      { title: 'Harness', lines: [{ event: 'h', text: 'prompt' }] },
      { title: 'Run a', lines },
      { title: 'Run b', lines },
    ],
  };

  it('leaves everything in where it fits, and says nothing', () => {
    expect(fitSubject(subject, 1_000_000)).toMatchObject({ leftOut: [] });
  });

  it.each([60_000, 10_000, 2_000, 300])(
    'keeps to %d characters, says what is left out, and names only events that are shown',
    (characters) => {
      const fitted = fitSubject(subject, characters);
      expect(fitted.text.length).toBeLessThanOrEqual(characters);
      expect(fitted.leftOut.length).toBeGreaterThan(0);
      if (characters >= 2_000) {
        expect(fitted.text).toMatch(/Left out to fit: .*entries of Run a/);
        expect(fitted.events.has('h')).toBe(true);
        expect(fitted.events.has('e150')).toBe(fitted.text.includes('[e150]'));
      }
    },
  );
});

describe('prompt files', () => {
  it('give every label a meaning and a worked example, and spell the borders out', () => {
    const prompt = promptFiles();
    for (const label of [
      'prompt_ambiguity',
      'tool_schema_error',
      'skill_missing',
      'middleware_mismatch',
      'memory_overflow',
      'agent_error',
    ]) {
      expect(prompt).toContain(`- \`${label}\``);
      expect(prompt).toContain(`"label": "${label}"`);
    }
    for (const border of ['Prompt or agent?', 'Schema or agent?', 'Skill or prompt?', 'Middleware or memory?'])
      expect(prompt).toContain(border);
  });

  it('show answers that would be taken', () => {
    const examples = [...promptFiles().matchAll(/```\n(\{"label"[\s\S]*?)```/g)].map((match) => match[1] ?? '');
    expect(examples).toHaveLength(6);
    for (const example of examples) {
      const events = new Set([...example.matchAll(/"event": "([^"]+)"/g)].map((match) => match[1] ?? ''));
      expect(readReply(whole(example), events)).toMatchObject({ ok: true });
    }
  });
});

describe('commandReader', () => {
  const node = (script: string, timeoutMs = 20_000) =>
    commandReader({ command: [process.execPath, '-e', script], timeoutMs });

  it('gives the prompt on stdin and takes stdout', async () => {
    const reader = node(`process.stdin.on('data', (d) => process.stdout.write(String(d).toUpperCase()))`);
    expect(await reader.read('hello', { vote: 0 })).toEqual({ kind: 'text', text: 'HELLO', isComplete: true });
  });

  it('ends a program that takes too long, and says so of one that fails or is not there', async () => {
    expect(await node('setTimeout(() => {}, 60000)', 200).read('x', { vote: 0 })).toMatchObject({
      kind: 'failed',
      why: expect.stringContaining('within 200 ms'),
    });
    expect(await node('console.error("no key"); process.exit(3)').read('x', { vote: 0 })).toMatchObject({
      kind: 'failed',
      why: expect.stringContaining('ended with 3: no key'),
    });
    expect(
      await commandReader({ command: ['no-such-program-here'], timeoutMs: 1000 }).read('x', { vote: 0 }),
    ).toMatchObject({ kind: 'failed' });
  });

  it('leaves nothing running that the program had started', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'co-harness-reader-'));
    const file = join(folder, 'pid');
    const script = `const { spawn } = require('node:child_process');
      const { renameSync, writeFileSync } = require('node:fs');
      const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { stdio: 'inherit' });
      writeFileSync('${file}.new', String(child.pid));
      renameSync('${file}.new', '${file}');
      setTimeout(() => {}, 60000);`;
    const controller = new AbortController();
    const reading = node(script).read('x', { vote: 0, signal: controller.signal });
    await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: 20_000 });
    controller.abort();
    // The pipe that it holds closes with it: a program left behind would keep the reading open.
    await expect(reading).rejects.toMatchObject({ code: 'aborted' });
    rmSync(folder, { recursive: true });
  });

  it('stops when it is told to', async () => {
    const controller = new AbortController();
    const reading = node('setTimeout(() => {}, 60000)').read('x', { vote: 0, signal: controller.signal });
    setTimeout(() => controller.abort(), 100);
    await expect(reading).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('parseCritic', () => {
  it('reads the three kinds, with quoted arguments', () => {
    expect(parseCritic('evidence')).toEqual({ kind: 'evidence' });
    expect(parseCritic('model:openai:http://127.0.0.1:1/v1#m')).toEqual({
      kind: 'model',
      server: { kind: 'server', url: 'http://127.0.0.1:1/v1', model: 'm' },
    });
    expect(parseCritic('ai-sdk: judges/mine.mjs')).toEqual({ kind: 'ai-sdk', file: 'judges/mine.mjs' });
    expect(parseCritic(`command:agent -p "judge this" 'a b'`)).toEqual({
      kind: 'command',
      command: ['agent', '-p', 'judge this', 'a b'],
    });
  });

  it('refuses weights and names without a server, with the field that holds them', () => {
    expect(() => parseCritic('model:gpt4', 'critic.by')).toThrow(/critic\.by: "gpt4".*model:openai:http/s);
    expect(() => parseCritic('model:file:a.gguf', 'proposer')).toThrow(/proposer: file:a\.gguf is no server/);
  });

  it.each(['', 'evidense', 'model:', 'command:  '])('refuses "%s" and says what could stand there', (critic) => {
    expect(() => parseCritic(critic)).toThrow(/command:PROGRAM/);
  });
});

describe('composed critic', () => {
  const wrong = (seed: number) =>
    rollout([says(0, RAW), calls(0), returns(0, '7'), says(1, `7 ${seed}`), answers('7')]);
  const sure = rollout([says(0, '{"name":"look'), unreadable(0)]);
  const reader = (reply: () => string) => modelReader(scriptedBackend({ reply }), { name: 'model:test' });
  const options = { votes: 4, mostFailures: 2 };

  it('asks only about failures that the evidence leaves open, no more than allowed', async () => {
    let questions = 0;
    const critic = composedCritic(
      reader(() => {
        questions++;
        return text();
      }),
      options,
    );
    const diagnoses = await critic.diagnose([sure, wrong(1), wrong(2), wrong(3)], HARNESS);
    expect(diagnoses.map(({ mechanism }) => mechanism)).toEqual([
      'call-unreadable',
      'read:prompts/system.md',
      'read:prompts/system.md',
      'wrong-value',
    ]);
    expect(diagnoses[1]).toMatchObject({ standing: 'firm', critic: 'model:test', confidence: 0.8 });
    // Two abstentions with four votes each, and nothing about the certain one.
    expect(questions).toBe(8);
  });

  it('a split vote is undecided, and no valid reply leaves the evidence as it stands', async () => {
    let count = 0;
    const split = composedCritic(
      reader(() => text(count++ % 2 === 0 ? ANSWER : { ...ANSWER, label: 'agent_error' })),
      { ...options, mostFailures: 1 },
    );
    expect(await split.diagnose([wrong(1)], HARNESS)).toMatchObject([{ standing: 'undecided' }]);
    const mute = composedCritic(
      reader(() => 'I do not know'),
      { ...options, mostFailures: 1 },
    );
    expect(await mute.diagnose([wrong(1)], HARNESS)).toMatchObject([
      { mechanism: 'wrong-value', label: 'agent_error' },
    ]);
  });

  it('lets a unanimous reader that names another cause than the evidence go to replay, not to a gate', async () => {
    const failed = {
      type: 'tool-failed',
      turn: 0,
      call: { tool: 'lookup', arguments: { key: 'a' } },
      errorType: 'not-found',
      problem: 'no a',
    } as const;
    const critic = composedCritic(
      reader(() => text()),
      options,
    );
    expect(await critic.diagnose([rollout([says(0, RAW), calls(0), failed])], HARNESS)).toMatchObject([
      { label: 'prompt_ambiguity', standing: 'needs-replay' },
    ]);
  });

  it('never shows a gate or test rollout to a reader', async () => {
    const own = wrong(1);
    const sealed = { ...own, identity: { ...own.identity, split: 'gate' as const, task: contentHash('sealed') } };
    const critic = composedCritic(
      reader(() => text()),
      options,
    );
    await expect(critic.diagnose([sealed], HARNESS)).rejects.toThrow(/shown to the critic/);
  });
});
