import { errorMessage } from '../../base/errors.ts';
import type { ToolOutcome } from './tool-outcome.ts';

/** How a server is reached: a program that speaks on its standard streams, or an address (streamable HTTP). */
export type McpServer =
  | { command: readonly [string, ...string[]]; directory?: string; environment?: Readonly<Record<string, string>> }
  | { url: string };

/** An open session with one server. */
export interface McpConnection {
  call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    limits: { wallMs: number; signal: AbortSignal },
  ): Promise<ToolOutcome>;
  close(): Promise<void>;
}

/** Tools of Model Context Protocol servers. Servers start when they are first called and serve all rollouts. */
export interface McpServers {
  /** `entry` is SERVER/TOOL. Rejects with AbortedError alone. */
  call(
    entry: string,
    args: Readonly<Record<string, unknown>>,
    limits: { wallMs: number; signal: AbortSignal },
  ): Promise<ToolOutcome>;
  close(): Promise<void>;
}

export function mcpServers(servers: Readonly<Record<string, McpServer>>): McpServers {
  const open = new Map<string, Promise<McpConnection>>();

  function connected(name: string, server: McpServer): Promise<McpConnection> {
    const known = open.get(name);
    if (known !== undefined) return known;
    // The SDK is loaded by those who use it.
    const client = import('./mcp-client.ts').then(({ connectMcp }) => connectMcp(server, () => open.delete(name)));
    open.set(name, client);
    // A server that did not start is tried again by the next call.
    client.catch(() => open.delete(name));
    return client;
  }

  return {
    call: async (entry, args, limits) => {
      const [name = '', tool = ''] = splitOnce(entry);
      const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
      if (server === undefined)
        return unavailable(`no MCP server "${name}" is configured (tools.mcp: ${known(servers)})`);
      let connection: McpConnection;
      try {
        connection = await connected(name, server);
      } catch (error) {
        return unavailable(`MCP server "${name}" cannot be reached: ${errorMessage(error)}`);
      }
      const outcome = await connection.call(tool, args, limits);
      return outcome.kind === 'unavailable' ? unavailable(`MCP server "${name}": ${outcome.why}`) : outcome;
    },
    close: async () => {
      const clients = await Promise.allSettled(open.values());
      open.clear();
      for (const client of clients) if (client.status === 'fulfilled') await client.value.close();
    },
  };
}

function splitOnce(entry: string): string[] {
  const slash = entry.indexOf('/');
  return slash === -1 ? [entry] : [entry.slice(0, slash), entry.slice(slash + 1)];
}

function known(servers: object): string {
  return Object.keys(servers).join(', ') || 'none';
}

function unavailable(why: string): ToolOutcome {
  return { kind: 'unavailable', why };
}
