import { javaScriptSandbox } from '../../sandbox/javascript-sandbox.ts';
import type { ProcessSandbox } from '../../sandbox/process-sandbox.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { McpServers } from './mcp-servers.ts';

/** Where tools that are not built in run. One set serves any number of rollouts at once. */
export interface ToolHosts {
  javaScript: Sandbox;
  /** Null: this installation has no Python sandbox. */
  python: Sandbox | null;
  /** Runs the programs of `command` tools; absent or a text: they cannot run, and why. */
  commands?: ProcessSandbox | string;
  /** Servers of `mcp` tools; absent: none is configured. */
  mcp?: McpServers;
}

/** Ends everything that runs in the hosts. */
export async function closeToolHosts({ javaScript, python, mcp }: ToolHosts): Promise<void> {
  await Promise.all([javaScript.close(), python?.close(), mcp?.close()]);
}

let shared: ToolHosts | undefined;

/** What rollouts use that were given nothing else: JavaScript alone. Nothing starts before a tool needs it; idle threads do not keep a program alive. */
export function sharedToolHosts(): ToolHosts {
  shared ??= { javaScript: javaScriptSandbox(), python: null };
  return shared;
}
