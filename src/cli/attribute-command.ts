import type { Command } from 'commander';
import { interruptSignal } from '../base/interrupt-signal.ts';
import { palette } from '../base/palette.ts';
import { attribute } from '../critic/attribute.ts';
import type { CaseVerdict } from '../critic/cases/case-verdict.ts';
import { READER_FORMS } from '../critic/reader/parse-critic.ts';
import { readHarness } from '../harness/harness-folder.ts';
import { countNumber, positiveNumber } from '../lab/option-numbers.ts';
import { findHarness } from './find-harness.ts';
import { openReader } from './open-reader.ts';

interface AttributeOptions {
  critic: string;
  votes: number;
  harness?: string;
  timeout: number;
  json?: boolean;
}

export function registerAttributeCommand(program: Command): void {
  program
    .command('attribute')
    .description('why runs of an agent failed: reads trajectories of anybody, names cause, place and repair')
    .argument('<file>', 'our own rollouts (eval --out), ATIF, OpenAI chat messages, or plain cases; JSON or JSON Lines')
    .option('--critic <critic>', `evidence, ${READER_FORMS}`, 'evidence')
    .option('--votes <number>', 'times a model or command is asked', countNumber, 1)
    .option('--harness <folder>', 'the harness of our own rollouts; default: found in the runs here')
    .option('--timeout <seconds>', 'time that a command may take for one answer', positiveNumber, 300)
    .option('--json', 'one JSON object a case, one a line')
    .action(run);
}

async function run(file: string, options: AttributeOptions): Promise<void> {
  // What holds no rollouts of ours never asks for it: a wrong folder would pass in silence.
  if (options.harness !== undefined) await readHarness(options.harness);
  const reader = await openReader(options.critic, { timeoutSeconds: options.timeout });
  const signal = interruptSignal();
  const printJson = (verdict: CaseVerdict) => process.stdout.write(`${JSON.stringify(verdict)}\n`);
  try {
    await attribute(file, {
      reader,
      votes: options.votes,
      harnessOf: (hash) => findHarness(hash, options.harness),
      signal,
      onVerdict: options.json ? printJson : (verdict) => process.stdout.write(shown(verdict)),
      ...(options.json ? { onPassed: printJson } : {}),
      onNotice: (text) => process.stderr.write(`${text}\n`),
    });
  } finally {
    await reader?.close();
  }
}

const colors = palette(process.stdout);

function shown({ id, label, component, confidence, mechanism, evidence, repair }: CaseVerdict): string {
  const lines = [
    `${colors.bold(id)}: ${label}${component === null ? '' : ` (${component})`}, confidence ${confidence.toFixed(2)}`,
    `  ${mechanism}`,
    ...evidence.map(({ event, quote }) => `  ${colors.dim(event)} ${quote}`),
    ...(repair ?? []).map(({ path, new: value }) => `  repair ${path}: ${short(value)}`),
  ];
  return `${lines.join('\n')}\n\n`;
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= 200 ? text : `${text.slice(0, 199)}…`;
}
