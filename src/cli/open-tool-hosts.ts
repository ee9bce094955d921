import { CoHarnessError } from '../base/errors.ts';
import type { RunConfig } from '../evolution/run-config.ts';
import { type McpServer, mcpServers } from '../rollout/tools/mcp-servers.ts';
import type { ToolHosts } from '../rollout/tools/tool-hosts.ts';
import { javaScriptSandbox } from '../sandbox/javascript-sandbox.ts';
import { bubblewrapSandbox, findBubblewrap, plainProcess } from '../sandbox/process-sandbox.ts';
import { pythonSandbox } from '../sandbox/python-sandbox.ts';
import { ensurePythonSandbox } from '../setup/python-sandbox-packages.ts';

export interface ToolHostsOptions {
  log: (line: string) => void;
  signal?: AbortSignal;
  /** Folder that MCP servers start in; default: the current one. */
  directory?: string;
}

/**
 * Every place where tools run. Nothing starts before a tool needs it; Python is installed then. Throws CoHarnessError `variable-missing` where our environment lacks
 * a variable that an MCP server is to get.
 */
export function openToolHosts(tools: RunConfig['tools'], options: ToolHostsOptions): ToolHosts {
  let installing: ReturnType<typeof ensurePythonSandbox> | undefined;
  return {
    javaScript: javaScriptSandbox(),
    python: pythonSandbox({
      installation: () => {
        installing ??= ensurePythonSandbox(options);
        return installing;
      },
    }),
    commands: commandHost(tools?.commands ?? 'sandboxed'),
    mcp: mcpServers(
      Object.fromEntries(
        Object.entries(tools?.mcp ?? {}).map(([name, server]) => [name, serverOf(name, server, options)]),
      ),
    ),
  };
}

function commandHost(mode: NonNullable<RunConfig['tools']>['commands']): NonNullable<ToolHosts['commands']> {
  if (mode === 'never') return 'the config forbids programs of a harness (tools.commands: never)';
  const bubblewrap = findBubblewrap();
  if (bubblewrap !== null) return bubblewrapSandbox(bubblewrap);
  if (mode === 'unsandboxed') return plainProcess;
  return (
    'programs of a harness run in bubblewrap, which is not installed here. Install it (the package bubblewrap), or, where you trust every version of ' +
    'this harness, set tools.commands to "unsandboxed"'
  );
}

function serverOf(
  name: string,
  server: NonNullable<RunConfig['tools']>['mcp'][string],
  { directory }: Pick<ToolHostsOptions, 'directory'>,
): McpServer {
  if ('url' in server) return server;
  const [program, ...args] = server.command as [string, ...string[]];
  return {
    command: [program, ...args],
    ...(directory === undefined ? {} : { directory }),
    ...(server.environment === undefined ? {} : { environment: valuesOf(server.environment, name) }),
  };
}

function valuesOf(names: readonly string[], server: string): Readonly<Record<string, string>> {
  // Runs from before names alone were allowed: their folder holds the values.
  if (!Array.isArray(names)) return names as unknown as Record<string, string>;
  return Object.fromEntries(names.map((name) => [name, variableOf(name, server)]));
}

function variableOf(name: string, server: string): string {
  const value = process.env[name];
  if (value !== undefined && value !== '') return value;
  throw new CoHarnessError(
    'variable-missing',
    `tools.mcp.${server}.environment: the environment variable ${name} is empty, and the MCP server "${server}" is to get it. Set it and run again, or take it out of the list.`,
    { details: { variable: name, server } },
  );
}
