import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bubblewrapSandbox, findBubblewrap, NOBODY, plainProcess } from './process-sandbox.ts';
import { runProgram } from './run-program.ts';
import type { SandboxLimits, SandboxRun } from './sandbox.ts';

const bubblewrap = await workingBubblewrap();
if (bubblewrap === null) console.warn('Skipped: bubblewrap (bwrap) is not installed here, or may not make namespaces.');

/** Containers may hold the program without the right to use it, and root's right is not that of nobody, as whom programs run. */
async function workingBubblewrap(): Promise<string | null> {
  const found = findBubblewrap();
  if (found === null) return null;
  const end = await runProgram({
    command: [found, '--unshare-all', '--ro-bind', '/', '/', 'true'],
    directory: '/',
    environment: {},
    input: '',
    signal: AbortSignal.timeout(20_000),
    ...(process.getuid?.() === 0 ? { user: NOBODY } : {}),
  });
  return end.kind === 'printed' ? found : null;
}

const limits: SandboxLimits = { wallMs: 20_000, memoryBytes: 512 << 20, outputCharacters: 2_000 };
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'process-sandbox-test-'));
  await chmod(folder, 0o755);
  await symlink('/etc/passwd', join(folder, 'link'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Whether a process works; one that has ended and waits for its parent to ask does not. */
async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State: X');
  return !/^State:\s*[XZ]/m.test(status);
}

async function written(script: string): Promise<{ folder: string; command: [string]; input: string }> {
  await writeFile(join(folder, 'tool.sh'), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, 'tool.sh'), 0o755);
  return { folder, command: ['tool.sh'], input: '{"n": 4}\n' };
}

/**
 * Processes and bytes are counted, and no program starts itself, so that none harms a machine where the sandbox fails to hold it.
 *
 * Ends: `error`, `timeout` or `infrastructure`, or a text that is printed. What is printed may never hold anything of the host.
 */
const HOSTILE: readonly [goal: string, script: string, ends: string][] = [
  ['read a file of the host', 'cat /etc/passwd', 'error'],
  ['read the host’s name file', 'cat /etc/hostname', 'error'],
  ['list the home folder', 'ls /root /home', 'error'],
  ['follow a symbolic link of its folder out', 'cat link', 'error'],
  ['climb out with ..', 'cat ../etc/passwd', 'error'],
  ['reach the host’s root through /proc', 'cat /proc/1/root/etc/passwd', 'error'],
  ['write in its folder', 'echo x > mine', 'error'],
  ['write in the system', 'echo x > /usr/bin/mine', 'error'],
  ['change its own program', 'echo x >> tool.sh', 'error'],
  [
    'win a race between a look and a use of a link',
    'i=0; while [ $i -lt 50 ]; do ln -sf /etc/passwd /tmp/r; cat /tmp/r 2>/dev/null && exit 0; i=$((i+1)); done; exit 1',
    'error',
  ],
  ['keep a file for the next call', 'test -e /tmp/kept && echo kept; touch /tmp/kept; echo none', 'none'],
  ['read the environment of the host', 'echo "$CO_HARNESS_TEST_VARIABLE"end', 'end'],
  ['see other processes', 'ls /proc | grep -c "^[0-9]" | awk \'{ print ($1 < 10) }\'', '1'],
  ['kill other processes', 'kill -9 -1; echo alone', ''],
  ['send a signal to the parent', 'kill -9 $PPID; echo sent', ''],
  ['use the network', 'exec 3<>/dev/tcp/127.0.0.1/22', 'error'],
  ['open a connection with a program', 'curl -s -m 2 http://127.0.0.1:22 || exit 7', 'error'],
  ['see network devices', 'grep -v lo: /proc/net/dev | tail -n +3 | wc -l', '0'],
  ['mount something', 'mount -t tmpfs none /mnt', 'error'],
  ['change its root', 'chroot / true', 'error'],
  ['open a raw device', 'head -c 1 /dev/sda /dev/vda /dev/mem', 'error'],
  ['load a kernel module', 'insmod x', 'error'],
  ['become somebody else', 'su -c id', 'error'],
  ['make a device', 'mknod /tmp/null c 1 3 && echo x > /tmp/null', 'error'],
  ['loop for ever', 'while :; do :; done', 'timeout'],
  ['sleep', 'sleep 100', 'timeout'],
  ['ignore signals', 'trap "" TERM INT HUP XCPU; while :; do sleep 1; done', 'timeout'],
  ['leave a process behind', 'sleep 100 & echo left', 'left'],
  ['start more processes than it may', 'i=0; while [ $i -lt 280 ]; do sleep 2 & i=$((i + 1)); done; echo all', 'error'],
  ['fill the memory', 'dd if=/dev/zero of=/dev/null bs=600000000 count=1', 'error'],
  ['fill the disk', 'head -c 200000000 /dev/zero > /tmp/big && exit 0; exit 1', 'error'],
  ['print for ever', 'yes', 'error'],
  ['print binary rubbish', 'head -c 1000 /dev/urandom; exit 3', 'error'],
  ['dump core', 'ulimit -c unlimited 2>/dev/null; kill -SEGV $$', 'error'],
];

describe.skipIf(bubblewrap === null)('programs in bubblewrap', { timeout: 120_000 }, () => {
  const run = async (script: string, own: SandboxLimits = limits): Promise<SandboxRun> =>
    bubblewrapSandbox(bubblewrap ?? '')(await written(script), own);

  // Nothing hostile is tried where this does not hold: as root, or with the host's processes in reach, it could bring the machine down.
  beforeAll(async () => {
    const end = await run('id -u; readlink /proc/self/ns/pid; grep "Max processes" /proc/self/limits');
    expect(end).toMatchObject({ kind: 'ok' });
    const [user, namespace, most] = (end as { value: string }).value.split('\n');
    expect(user).not.toBe('0');
    expect(namespace).toMatch(/^pid:/);
    expect(namespace).not.toBe(await readlink('/proc/self/ns/pid'));
    expect(most).toMatch(/^Max processes +256 +256 /);
  });

  it('get their input, see their folder and give what they print', async () => {
    expect(await run('read line; echo "got $line in $(ls)"')).toEqual({
      kind: 'ok',
      value: expect.stringMatching(/^got \{"n": 4\} in link\s+tool\.sh$/),
      output: '',
    });
  });

  it('fail with what they say on standard error', async () => {
    const failed = await run('echo broken >&2; exit 3');
    expect(failed).toMatchObject({ kind: 'error', problem: expect.stringContaining('ended with 3: broken') });
  });

  it('are tried with at least 30 hostile programs', () => {
    expect(HOSTILE.length).toBeGreaterThanOrEqual(30);
  });

  it.each(HOSTILE)('%s: in vain', async (_, script, ends) => {
    process.env.CO_HARNESS_TEST_VARIABLE = 'of the host';
    const end = await run(script, { ...limits, wallMs: 3_000 });
    const said = JSON.stringify(end);
    expect(said).not.toMatch(/root:x|of the host/);
    if (['error', 'timeout'].includes(ends)) expect([ends, 'timeout'], said).toContain(end.kind);
    else if (ends !== '') expect(end, said).toMatchObject({ kind: 'ok', value: ends });
    expect(await run('echo fine')).toEqual({ kind: 'ok', value: 'fine', output: '' });
    expect(existsSync(join(folder, 'mine'))).toBe(false);
  });
});

describe('programs without a sandbox, where the configuration allows it', { timeout: 60_000 }, () => {
  it('get their input and nothing of the environment but the path', async () => {
    process.env.CO_HARNESS_TEST_VARIABLE = 'of the host';
    const task = await written('read line; echo "$line $CO_HARNESS_TEST_VARIABLE"');
    expect(await plainProcess(task, limits)).toMatchObject({ kind: 'ok', value: '{"n": 4} ' });
  });

  it('are ended at their time limit with all they started', async () => {
    const task = await written('sleep 100 & sleep 100');
    expect(await plainProcess(task, { ...limits, wallMs: 500 })).toMatchObject({ kind: 'timeout' });
  });

  it('end with their answer when they leave a program behind that holds their output open', async () => {
    const task = await written('sleep 100 & echo "left $!"');
    const end = await plainProcess(task, { ...limits, wallMs: 5_000 });
    expect(end).toMatchObject({ kind: 'ok', value: expect.stringMatching(/^left \d+$/) });
    const left = Number((end as { value: string }).value.slice('left '.length));
    // What was left has ended too.
    await expect.poll(() => isRunning(left)).toBe(false);
  });
});
