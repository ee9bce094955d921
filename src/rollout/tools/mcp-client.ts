import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { AbortedError, errorMessage } from '../../base/errors.ts';
import type { McpConnection, McpServer } from './mcp-servers.ts';
import type { ToolOutcome } from './tool-outcome.ts';

const resultSchema = z.looseObject({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});

/** A session with a server; this file alone loads the SDK. Rejects with what the SDK says. */
export async function connectMcp(server: McpServer, onClose: () => void): Promise<McpConnection> {
  const client = new Client({ name: 'co-harness', version: '0.1.0' });
  client.onclose = onClose;
  await client.connect(transportTo(server));
  return {
    call: async (tool, args, { wallMs, signal }) => {
      try {
        const request = { name: tool, arguments: { ...args } };
        return outcomeOf(await client.callTool(request, undefined, { timeout: wallMs, signal }));
      } catch (error) {
        if (signal.aborted) throw new AbortedError();
        return failure(error, wallMs);
      }
    },
    close: () => client.close(),
  };
}

function transportTo(server: McpServer): Transport {
  // The SDK's own types leave `sessionId` open to undefined, ours do not.
  if ('url' in server) return new StreamableHTTPClientTransport(new URL(server.url)) as Transport;
  const [command, ...args] = server.command;
  return new StdioClientTransport({
    command,
    args,
    // Nothing of our environment but what a program needs to run.
    env: { ...getDefaultEnvironment(), ...server.environment },
    stderr: 'ignore',
    ...(server.directory === undefined ? {} : { cwd: server.directory }),
  });
}

function outcomeOf(called: unknown): ToolOutcome {
  const { content, structuredContent, isError } = resultSchema.parse(called);
  const texts = content.map(({ type, text }) => text ?? `[${type} content, which cannot be shown as text]`);
  const value = texts.length > 0 ? texts.join('\n') : JSON.stringify(structuredContent ?? null);
  return isError === true ? { kind: 'failed', errorType: 'mcp', problem: value } : { kind: 'returned', value };
}

/** Protocol errors are answers about the call; a lost connection is infrastructure. */
function failure(error: unknown, wallMs: number): ToolOutcome {
  if (!(error instanceof McpError))
    return { kind: 'unavailable', why: `the MCP server failed: ${errorMessage(error)}` };
  if (error.code === ErrorCode.RequestTimeout) {
    return { kind: 'failed', errorType: 'timeout', problem: `no value within ${wallMs} ms` };
  }
  if (error.code === ErrorCode.ConnectionClosed)
    return { kind: 'unavailable', why: 'the MCP server closed the connection' };
  return { kind: 'failed', errorType: 'mcp', problem: error.message };
}
