import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { CoHarnessError } from '../base/errors.ts';
import { requireProgram } from '../base/find-program.ts';
import { parseCritic } from '../critic/reader/parse-critic.ts';
import { parseModelReference } from '../model/model-reference.ts';
import { parseModelSource } from '../model/model-source.ts';
import { pathOfRunner } from '../rollout/program/program-runner.ts';
import { checkVerifierConfig } from '../task/choose-verifier.ts';
import { type RunConfig, readerOfProposer } from './run-config.ts';

/**
 * Refuses what a config names beside its files and could never be used: before anything is paid, because most of it would show only when a rollout,
 * a verdict or a diagnosis asks for it. `directory` is the config's folder. Throws CoHarnessError with the field; starts and connects to nothing.
 */
export function refuseUnusable(config: RunConfig, directory: string): void {
  refuseModel(config);
  refuseReader(config.critic.by, 'critic.by');
  const proposer = readerOfProposer(config);
  if (proposer !== null) refuseReader(proposer, 'proposer');
  requirePrograms(config, { runner: directory, mcp: process.cwd() });
  const verifier = checkVerifierConfig(config.verifier);
  if (verifier.kind === 'command') {
    requireProgram(verifier.command[0], { directory, field: 'verifier.command' });
  }
}

/** An agent and tools as a config or an exported pair names them. */
interface NamedPrograms {
  runner?: { kind: 'command'; command: readonly string[] } | { kind: 'url' } | undefined;
  tools?: RunConfig['tools'];
}

/** Refuses an agent or an MCP server whose program could not be started. `directories`: folders that they start in. Throws CoHarnessError `program-missing` with the field. */
export function requirePrograms({ runner, tools }: NamedPrograms, directories: { runner: string; mcp: string }): void {
  if (runner?.kind === 'command') {
    const place = { directory: directories.runner, path: pathOfRunner(), field: 'runner.command' };
    requireProgram(runner.command[0] as string, place);
  }
  for (const [name, server] of Object.entries(tools?.mcp ?? {})) {
    if (!('command' in server)) continue;
    const place = { directory: directories.mcp, field: `tools.mcp.${name}.command` };
    requireProgram(server.command[0] as string, place);
  }
}

function refuseModel({ model }: RunConfig): void {
  const reference = withField('model.source', () => parseModelReference(model.source));
  if (reference.kind === 'weights') withField('model.source', () => parseModelSource(reference.source));
}

/** A model or program that is asked. */
function refuseReader(text: string, field: string): void {
  const choice = parseCritic(text, field);
  // Both are looked for where the command was typed.
  if (choice.kind === 'ai-sdk' && !existsSync(resolve(choice.file))) {
    throw new CoHarnessError(
      'invalid-critic',
      `${field}: there is no ${choice.file} here. Name a module whose default export is a model of the AI SDK.`,
      { details: { field, file: choice.file } },
    );
  }
  if (choice.kind === 'command') requireProgram(choice.command[0], { directory: process.cwd(), field });
}

function withField<T>(field: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!CoHarnessError.isInstance(error)) throw error;
    const { code, message, details } = error;
    throw new CoHarnessError(code, `${field}: ${message}`, { details: { ...details, field }, cause: error });
  }
}
