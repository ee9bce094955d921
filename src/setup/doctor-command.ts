import type { Command } from 'commander';
import { interruptSignal } from '../base/interrupt-signal.ts';
import { palette } from '../base/palette.ts';
import { DEFAULT_MODEL_SOURCE } from '../model/model-source.ts';
import { type DoctorCheck, type DoctorOptions, doctor } from './doctor.ts';

const colors = palette(process.stdout);

const MARKS = {
  ok: colors.green('ok     '),
  warning: colors.yellow('warning'),
  failed: colors.red('failed '),
} as const;

/** Loaded on demand: the native engine takes a second to load, and every command line passes through this file. */
const openInProcess: DoctorOptions['openModel'] = async ({ path, hash }) => {
  const { openLlamaCppBackend } = await import('../model/llama-cpp-backend.ts');
  return openLlamaCppBackend({ modelPath: path, modelHash: hash, sequences: 1, threads: 1, windowTokens: 256 });
};

/** Only where a person looks: the line is written over by the check's result. */
function announce(name: string): void {
  if (process.stdout.isTTY) process.stdout.write(`        ${name} …\r`);
}

function print(check: DoctorCheck): void {
  process.stdout.write(`${MARKS[check.status]} ${check.name.padEnd(16)} ${check.detail}\n`);
  if (check.remedy) process.stdout.write(`${' '.repeat(25)}→ ${check.remedy}\n`);
}

/** Adds `doctor`: exit code 0 when no check failed (warnings allowed), 1 otherwise. */
export function registerDoctorCommand(program: Command, openModel: DoctorOptions['openModel'] = openInProcess): void {
  program
    .command('doctor')
    .description('check everything a run needs: versions, weights, a generated token, a training step, disk, memory')
    .option('--model <source>', 'weights to check with', DEFAULT_MODEL_SOURCE)
    .option('--json', 'print the checks as JSON')
    .action(async (options: { model: string; json?: boolean }) => {
      const report = await doctor({
        model: options.model,
        openModel,
        onStart: options.json ? () => {} : announce,
        onCheck: options.json ? () => {} : print,
        signal: interruptSignal(),
      });
      if (options.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
      if (!report.ok) process.exitCode = 1;
    });
}
