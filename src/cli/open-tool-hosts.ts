import type { RunConfig } from '../evolution/run-config.ts';
import { type McpServer, mcpServers } from '../rollout/tools/mcp-servers.ts';
import type { ToolHosts } from '../rollout/tools/tool-hosts.ts';
import { javaScriptSandbox } from '../sandbox/javascript-sandbox.ts';
import { bubblewrapSandbox, findBubblewrap, plainProcess } from '../sandbox/process-sandbox.ts';
import { pythonSandbox } from '../sandbox/python-sandbox.ts';
import { ensurePythonSandbox } from '../setup/python-sandbox-packages.ts';

/** Every place where tools run. Nothing starts before a tool needs it; Python is installed then. */
export function openToolHosts(
  tools: RunConfig['tools'],
  options: { log: (line: string) => void; signal?: AbortSignal },
): ToolHosts {
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
      Object.fromEntries(Object.entries(tools?.mcp ?? {}).map(([name, server]) => [name, serverOf(server)])),
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

function serverOf(server: NonNullable<RunConfig['tools']>['mcp'][string]): McpServer {
  if ('url' in server) return server;
  const [program, ...args] = server.command as [string, ...string[]];
  return {
    command: [program, ...args],
    ...(server.environment === undefined ? {} : { environment: server.environment }),
  };
}
