import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectFolder } from '../../src/setup/project-folder.ts';

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The command as a user starts it, in `folder`. */
export function runCli(folder: string, ...args: string[]): Promise<CliResult> {
  // Without what would colour text in a pipe: tests read what a script of a user reads.
  const { FORCE_COLOR: _, ...environment } = process.env;
  return new Promise((resolve, reject) => {
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
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** Output without the line breaks of wrapping. */
export function asOneLine(output: string): string {
  return output.replaceAll(/\n\s*/g, ' ');
}
