import { AbortedError } from '../../base/errors.ts';
import type { Harness, HarnessTool } from '../../harness/harness.ts';
import { PYTHON_MEMORY_BYTES } from '../../sandbox/python-sandbox.ts';
import type { Sandbox, SandboxLimits, SandboxProgram, SandboxSession } from '../../sandbox/sandbox.ts';
import { DEFAULT_SANDBOX_LIMITS } from '../../sandbox/sandbox.ts';
import { BUILTIN_TOOLS, soleText } from './builtin-tools.ts';
import { runBuiltin } from './run-builtin.ts';
import { runCommandTool } from './run-command-tool.ts';
import { ToolError } from './tool-error.ts';
import type { ToolHosts } from './tool-hosts.ts';
import { outcomeOfRun, type ToolOutcome } from './tool-outcome.ts';

/** What a `record` back end answers: the call itself is the product. */
const RECORDED = 'recorded';

/** The tools of one pass of the agent loop, with whatever state they keep from call to call. */
export interface EpisodeTools {
  /**
   * Runs one call whose arguments have been checked, within the tool's limits. Never rejects for what the tool did; rejects with AbortedError when
   * `signal` fires, or InvariantError.
   */
  run(tool: HarnessTool, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ToolOutcome>;
  /** Ends the state. */
  close(): void;
}

type Language = 'javaScript' | 'python';
/** Back ends of kind `builtin` that run in a sandbox. */
export const INTERPRETERS: Readonly<Record<string, Language>> = { run_js: 'javaScript', run_python: 'python' };

export function openEpisodeTools(harness: Harness, hosts: ToolHosts): EpisodeTools {
  const sessions = new Map<string, SandboxSession>();

  function session(name: string, sandbox: Sandbox): SandboxSession {
    const known = sessions.get(name) ?? sandbox.openSession();
    sessions.set(name, known);
    return known;
  }

  async function inSandbox(
    tool: HarnessTool,
    language: Language,
    work: (session: SandboxSession, limits: SandboxLimits) => ReturnType<SandboxSession['run']>,
    signal: AbortSignal,
  ): Promise<ToolOutcome> {
    const sandbox = hosts[language];
    if (sandbox === null) return unavailable(tool, NO_SANDBOX);
    const { wallMs, outputCharacters } = tool.limits;
    // Room for what is cut later with a word to the model.
    const memoryBytes = language === 'python' ? PYTHON_MEMORY_BYTES : DEFAULT_SANDBOX_LIMITS.memoryBytes;
    const limits = { wallMs, memoryBytes, outputCharacters: 2 * outputCharacters, signal };
    const outcome = outcomeOfRun(await work(session(tool.name, sandbox), limits));
    return outcome.kind === 'unavailable' ? { ...outcome, why: `tool "${tool.name}": ${outcome.why}` } : outcome;
  }

  async function dispatch(
    tool: HarnessTool,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ToolOutcome> {
    const { backend } = tool;
    if (backend.kind === 'record') return { kind: 'returned', value: RECORDED };
    if (backend.kind === 'builtin') {
      const language = INTERPRETERS[backend.name];
      if (language === undefined) return runBuiltin(BUILTIN_TOOLS, tool, backend.name, args, signal);
      return inSandbox(tool, language, (opened, limits) => opened.run(soleText(args, 'code'), limits), signal);
    }
    if (backend.kind === 'js' || backend.kind === 'python') {
      const program = programOf(harness, tool.folder ?? tool.name, backend.entry);
      const language = backend.kind === 'js' ? 'javaScript' : 'python';
      return inSandbox(tool, language, (opened, limits) => opened.call(program, args, limits), signal);
    }
    if (backend.kind === 'mcp') {
      return hosts.mcp === undefined
        ? unavailable(tool, `no MCP server is configured (tools.mcp of the config); it asks for "${backend.entry}"`)
        : hosts.mcp.call(backend.entry, args, { wallMs: tool.limits.wallMs, signal });
    }
    return runCommand(harness, hosts, tool, backend.entry, args, signal);
  }

  return {
    run: async (tool, args, signal) => {
      try {
        return capped(await dispatch(tool, args, signal), tool.limits.outputCharacters);
      } catch (error) {
        if (error instanceof ToolError) return { kind: 'failed', errorType: error.errorType, problem: error.message };
        throw error;
      }
    },
    close: () => {
      for (const opened of sessions.values()) opened.close();
      sessions.clear();
    },
  };
}

async function runCommand(
  harness: Harness,
  hosts: ToolHosts,
  tool: HarnessTool,
  entry: string,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const { commands = 'programs of a harness are not run here' } = hosts;
  if (typeof commands === 'string') return unavailable(tool, commands);
  const program = programOf(harness, tool.folder ?? tool.name, entry);
  const { wallMs, outputCharacters } = tool.limits;
  const limits = { wallMs, memoryBytes: COMMAND_MEMORY_BYTES, outputCharacters: 2 * outputCharacters, signal };
  const run = await runCommandTool(commands, program, args, limits);
  if (signal.aborted) throw new AbortedError();
  return outcomeOfRun(run);
}

function unavailable(tool: HarnessTool, why: string): ToolOutcome {
  return { kind: 'unavailable', why: `tool "${tool.name}": ${why}` };
}

/** Address space, not resident memory: interpreters reserve much that they never use. */
const COMMAND_MEMORY_BYTES = 2 ** 31;

const NO_SANDBOX =
  'there is no Python sandbox in this installation. Install it with: npx co-harness setup --python-sandbox (or use a "js" tool)';

/** Code files of a tool's folder by their path in it. Throws ToolError when the entry is not there. */
function programOf(harness: Harness, folder: string, entry: string): SandboxProgram {
  const prefix = `tools/${folder}/`;
  const files = new Map<string, string>();
  for (const [path, text] of harness.files) {
    if (path.startsWith(prefix) && !path.endsWith('/tool.yaml')) files.set(path.slice(prefix.length), text);
  }
  if (files.has(entry)) return { entry, files };
  const present = files.size === 0 ? 'it holds no code' : `it holds ${[...files.keys()].join(', ')}`;
  throw new ToolError('no-code', `the tool's code ${prefix}${entry} does not exist: ${present}`);
}

function capped(outcome: ToolOutcome, limit: number): ToolOutcome {
  if (outcome.kind === 'returned') return { ...outcome, value: cut(outcome.value, limit) };
  if (outcome.kind === 'failed') return { ...outcome, problem: cut(outcome.problem, limit) };
  return outcome;
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}… [${text.length - limit} more characters]`;
}
