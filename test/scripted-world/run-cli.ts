import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectFolder } from '../../src/setup/project-folder.ts';

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunningCli {
  ended: Promise<CliResult>;
  /** Resolves with the match when what was printed on standard output has one; rejects when the command has ended without it. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Ctrl-C. */
  interrupt(): void;
}

/** The command as a user starts it, in `folder`. */
export function startCli(folder: string, ...args: string[]): RunningCli {
  // Without what would colour text in a pipe: tests read what a script of a user reads.
  const { FORCE_COLOR: _, ...environment } = process.env;
  const child = spawn(process.execPath, [join(projectFolder, 'bin', 'co-harness.mjs'), ...args], {
    cwd: folder,
    env: environment,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<CliResult>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
  const printed = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(stdout);
        if (found !== null) resolve(found);
      };
      child.stdout.on('data', look);
      ended.then(() => reject(new Error(`ended without ${pattern}: ${stdout}${stderr}`)), reject);
      look();
    });
  return { ended, printed, interrupt: () => child.kill('SIGINT') };
}

/** The same, to its end. */
export function runCli(folder: string, ...args: string[]): Promise<CliResult> {
  return startCli(folder, ...args).ended;
}

/** Serves an exported pair, asks it each problem and stops it: the answers, in order. `folder` is where the command is typed. */
export async function askServed(folder: string, exported: string, problems: readonly string[]): Promise<string[]> {
  const serving = startCli(folder, 'serve', exported, '--port', '0');
  const [, url = ''] = await serving.printed(/on (http:\S+)/);
  const answers: string[] = [];
  for (const content of problems) {
    const body = JSON.stringify({ messages: [{ role: 'user', content }] });
    const response = await fetch(`${url}/chat/completions`, { method: 'POST', body });
    const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
    answers.push(choices[0]?.message.content ?? '');
  }
  serving.interrupt();
  await serving.ended;
  return answers;
}

/** Output without the line breaks of wrapping. */
export function asOneLine(output: string): string {
  return output.replaceAll(/\n\s*/g, ' ');
}
