import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ProcessSandbox } from '../../sandbox/process-sandbox.ts';
import type { SandboxLimits, SandboxProgram, SandboxRun } from '../../sandbox/sandbox.ts';

/**
 * Runs the entry of a tool's folder as a program: arguments as JSON on standard input, the value is what it prints. The folder is written anew for each
 * call, so that no call leaves anything to the next.
 */
export async function runCommandTool(
  sandbox: ProcessSandbox,
  { entry, files }: SandboxProgram,
  args: Readonly<Record<string, unknown>>,
  limits: SandboxLimits,
): Promise<SandboxRun> {
  const folder = await mkdtemp(join(tmpdir(), 'co-harness-tool-'));
  try {
    await chmod(folder, 0o755);
    for (const [path, text] of files) {
      const file = join(folder, ...path.split('/'));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    await chmod(join(folder, ...entry.split('/')), 0o755);
    return await sandbox({ folder, command: [entry], input: `${JSON.stringify(args)}\n` }, limits);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
