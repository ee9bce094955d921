import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withFileLock } from '../bin/file-lock.mjs';
import { staleReason } from '../bin/packages.mjs';
import { projectFolder } from '../src/setup/project-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'co-harness-start-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('staleReason', () => {
  const lock = (file: string, packages: Record<string, object>) =>
    writeFileSync(join(folder, file), JSON.stringify({ packages }));

  it('asks for an install when nothing is installed, and when a version differs or is missing', () => {
    lock('package-lock.json', {
      '': {},
      'node_modules/a': { version: '1.0.0' },
      'node_modules/b': { version: '2.0.0' },
    });
    expect(staleReason(folder)).toBe('packages are not installed');
    mkdirSync(join(folder, 'node_modules'));
    lock('node_modules/.package-lock.json', { 'node_modules/a': { version: '1.0.0' } });
    expect(staleReason(folder)).toBe('b should be 2.0.0 and is missing');
    lock('node_modules/.package-lock.json', {
      'node_modules/a': { version: '1.0.1' },
      'node_modules/b': { version: '2.0.0' },
    });
    expect(staleReason(folder)).toBe('a should be 1.0.0 and is 1.0.1');
  });

  it('asks for an install when the record of the last one is damaged', () => {
    lock('package-lock.json', { '': {}, 'node_modules/a': { version: '1.0.0' } });
    mkdirSync(join(folder, 'node_modules'));
    for (const damaged of ['{"hello":1}', '{"packages": {"node_mod', '']) {
      writeFileSync(join(folder, 'node_modules', '.package-lock.json'), damaged);
      expect(staleReason(folder)).toBe('a should be 1.0.0 and is missing');
    }
  });

  it('asks for nothing when only packages of other platforms are missing', () => {
    lock('package-lock.json', {
      '': {},
      'node_modules/a': { version: '1.0.0' },
      'node_modules/win': { version: '1.0.0', optional: true },
    });
    mkdirSync(join(folder, 'node_modules'));
    lock('node_modules/.package-lock.json', { 'node_modules/a': { version: '1.0.0' } });
    expect(staleReason(folder)).toBeNull();
  });

  it('finds this checkout up to date', () => {
    expect(staleReason(projectFolder)).toBeNull();
  });
});

describe('withFileLock', () => {
  it('lets one in at a time and takes over the lock of a process that is gone', async () => {
    const file = join(folder, 'a.lock');
    writeFileSync(file, '999999999');
    let inside = 0;
    let most = 0;
    const enter = () =>
      withFileLock(file, async () => {
        most = Math.max(most, ++inside);
        await sleep(20);
        inside--;
      });
    await Promise.all([enter(), enter(), enter()]);
    expect(most).toBe(1);
  });

  const refuse = {
    onWait: (owner: number) => {
      throw new Error(`held by ${owner}`);
    },
  };
  /** What is said of a lock that holds `text`: `taken`, or who holds it. */
  const tryWith = async (text: string): Promise<string> => {
    const file = join(folder, 'b.lock');
    writeFileSync(file, text);
    return withFileLock(file, async () => 'taken', refuse).catch(({ message }: Error) => message);
  };
  /** Id, start and boot of this process, as its lock says them. */
  const ownLock = async (): Promise<string[]> => {
    const file = join(folder, 'own.lock');
    return (await withFileLock(file, async () => readFileSync(file, 'utf8'))).split(' ');
  };
  const tellsStarts = existsSync('/proc/self/stat');

  it('takes over what a killed process with the same id left, as in a container, where each start has the same id', async () => {
    const [id, start, boot] = await ownLock();
    expect(await tryWith(`${id}`)).toBe('taken');
    expect(await tryWith(`${id} 1 ${boot}`)).toBe('taken');
    expect(await tryWith(`${id} ${start} another-boot`)).toBe('taken');
  });

  it.skipIf(!tellsStarts)('takes over the lock of a process whose id now belongs to another', async () => {
    const [, , boot] = await ownLock();
    expect(await tryWith(`${process.ppid} 1 ${boot}`)).toBe('taken');
  });

  it('respects a living process, also one of a version that writes its id alone', async () => {
    expect(await tryWith(`${process.ppid}`)).toBe(`held by ${process.ppid}`);
    const script = `import { withFileLock } from '${projectFolder}bin/file-lock.mjs';
      await withFileLock('${join(folder, 'c.lock')}', async () => { console.log('in'); await new Promise((done) => process.stdin.once('data', done)); });
      process.exit();`;
    const other = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(other.stdout, 'data');
    const entering = withFileLock(join(folder, 'c.lock'), async () => 'taken', refuse);
    await expect(entering).rejects.toThrow(`held by ${other.pid}`);
    other.stdin.end('go');
    await once(other, 'exit');
    expect(await withFileLock(join(folder, 'c.lock'), async () => 'taken', refuse)).toBe('taken');
  });

  it('does not let this process in twice, and leaves alone on its way out what is no longer its own', async () => {
    const file = join(folder, 'd.lock');
    await withFileLock(file, async () => {
      await expect(withFileLock(file, async () => 'taken', refuse)).rejects.toThrow(`held by ${process.pid}`);
      writeFileSync(file, 'another');
    });
    expect(readFileSync(file, 'utf8')).toBe('another');
  });

  it('takes over also where a process was killed while it took over', async () => {
    const guard = join(folder, 'b.lock.takeover');
    mkdirSync(guard);
    utimesSync(guard, 1, 1);
    expect(await tryWith('999999999')).toBe('taken');
    expect(readdirSync(folder)).toEqual([]);
  });

  /**
   * Processes that resumed at once both found the owner gone, and the second removed the lock that the first had just made. Each of `rounds`
   * locks is tried by all processes at the same millisecond.
   */
  it('lets in one of several processes that take over the same lock at once', async () => {
    const rounds = 100;
    for (let round = 0; round < rounds; round++) writeFileSync(join(folder, `${round}.lock`), '999999999');
    const script = `import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
      import { withFileLock } from '${projectFolder}bin/file-lock.mjs';
      process.chdir('${folder}');
      const onWait = () => { throw new Error('held'); };
      console.log('ready');
      while (!existsSync('go')) await new Promise((done) => setTimeout(done, 1));
      let entered = 0;
      for (let round = 0; round < ${rounds}; round++) {
        while (Date.now() < Number(readFileSync('go', 'utf8')) + 20 * round);
        const inside = async () => {
          entered++;
          writeFileSync(round + '.inside', '', { flag: 'wx' });
          await new Promise((done) => setTimeout(done, 5));
          rmSync(round + '.inside');
        };
        await withFileLock(round + '.lock', inside, { onWait }).catch(({ message }) => {
          if (message !== 'held') console.log('round', round, message);
        });
      }
      console.log('entered', entered);`;
    const run = () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let said = '';
      child.stdout.on('data', (chunk: Buffer) => {
        said += chunk;
      });
      return { ready: once(child.stdout, 'data'), end: once(child, 'close').then(() => said) };
    };
    const processes = [run(), run(), run()];
    await Promise.all(processes.map(({ ready }) => ready));
    writeFileSync(join(folder, 'go.new'), String(Date.now() + 50));
    renameSync(join(folder, 'go.new'), join(folder, 'go'));
    const said = await Promise.all(processes.map(({ end }) => end));
    for (const text of said) expect(text).toMatch(/^ready\nentered \d+\n$/);
    const entered = said.map((text) => Number(/entered (\d+)/.exec(text)?.[1])).reduce((sum, count) => sum + count);
    expect(entered).toBeGreaterThanOrEqual(rounds);
  });
});

describe('the hand-over to Node 24', () => {
  /** Starts a script through bin/run-node24.mjs and collects its output. */
  function start(script: string): {
    process: ChildProcess;
    output: () => string;
    exit: Promise<number | null>;
    said: (text: string) => Promise<void>;
  } {
    const file = join(folder, 'script.mjs');
    writeFileSync(file, script);
    const runner = `import { runNode24 } from '${projectFolder}bin/run-node24.mjs'; process.exitCode = await runNode24(process.argv[1], ['--x', 'two words']);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', runner, file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk;
    });
    const said = async (wanted: string) => {
      while (!text.includes(wanted)) await sleep(20);
    };
    const exit = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
    return { process: child, output: () => text, exit, said };
  }

  it('passes arguments and the exit code', async () => {
    const run = start('console.log(process.version, JSON.stringify(process.argv.slice(2))); process.exit(7);');
    expect(await run.exit).toBe(7);
    expect(run.output()).toMatch(/^v24.*\["--x","two words"\]/);
  });

  it('passes one Ctrl-C once, though npm sends it a second time, and lets the program finish', async () => {
    const run = start(`
      let interrupts = 0;
      process.on('SIGINT', () => { interrupts++; if (interrupts === 1) setTimeout(() => { console.log('interrupts', interrupts); process.exit(3); }, 500); });
      setInterval(() => {}, 1000);
      console.log('ready');`);
    await run.said('ready');
    run.process.kill('SIGINT');
    run.process.kill('SIGINT');
    expect(await run.exit).toBe(3);
    expect(run.output()).toContain('interrupts 1');
  });

  it('does not leave the program behind when it is killed', async () => {
    const run = start("console.log('pid', process.pid, 'ready'); setInterval(() => {}, 1000);");
    await run.said('ready');
    const processId = Number(/pid (\d+)/.exec(run.output())?.[1]);
    run.process.kill('SIGKILL');
    await expect
      .poll(
        () => {
          try {
            return process.kill(processId, 0);
          } catch {
            return false;
          }
        },
        { timeout: 10_000 },
      )
      .toBe(false);
  });

  it('reports a program that a signal ended as 128 + its number', async () => {
    const run = start("process.kill(process.pid, 'SIGKILL');");
    expect(await run.exit).toBe(137);
  });
});

describe('what a command loads', () => {
  /** Names of the packages of which a command line loads any file. */
  async function packagesLoadedBy(...args: string[]): Promise<string[]> {
    const spy = join(folder, 'spy.mjs');
    writeFileSync(
      spy,
      `import { registerHooks } from 'node:module';
      const names = new Set();
      registerHooks({ load: (url, context, next) => {
        names.add(/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]);
        return next(url, context);
      } });
      process.on('exit', () => process.stderr.write('\\n' + JSON.stringify([...names])));`,
    );
    const command = ['--import', spy, join(projectFolder, 'src/cli/main.ts'), ...args];
    const { stderr } = await promisify(execFile)(process.execPath, command, { cwd: folder });
    return JSON.parse(stderr.split('\n').at(-1) as string) as string[];
  }

  it('is no engine, sandbox or tool server for the help, and for one command nothing of the others', async () => {
    const [all, one] = await Promise.all([packagesLoadedBy('--help'), packagesLoadedBy('verify', '--help')]);
    expect(all).toContain('commander');
    for (const heavy of ['node-llama-cpp', 'quickjs-emscripten-core', '@modelcontextprotocol/sdk'])
      expect(all).not.toContain(heavy);
    expect(one).toContain('commander');
    for (const foreign of ['ajv', 'yaml', 'diff', '@huggingface/jinja']) expect(one).not.toContain(foreign);
  }, 60_000);
});
