import { z } from 'zod';
import { CoHarnessError } from '../../base/errors.ts';
import type { HookName } from '../../harness/middleware-kinds.ts';
import type { SandboxLimits } from '../../sandbox/sandbox.ts';
import type { HookSandbox, Middleware, MiddlewareFactory } from './middleware.ts';

const MOST_STATE_CHARACTERS = 100_000;
const MOST_ANSWER_CHARACTERS = 1_000_000;

const message = z.strictObject({ role: z.enum(['user', 'assistant', 'tool']), content: z.string() });
const say = z.strictObject({ kind: z.literal('say'), text: z.string() });
const askAgain = z.strictObject({ kind: z.literal('ask-again'), text: z.string() });
const given = z.record(z.string(), z.json());

/** What a hook's code may answer: the actions of the contract as JSON. */
const ACTIONS = {
  start: say,
  beforeModel: z.discriminatedUnion('kind', [
    say,
    z.strictObject({ kind: z.literal('use-history'), history: z.array(message), detail: z.string().default('') }),
  ]),
  afterModel: z.discriminatedUnion('kind', [
    askAgain,
    z.strictObject({
      kind: z.literal('use-calls'),
      calls: z.array(
        z.strictObject({ call: z.strictObject({ tool: z.string(), arguments: given }), raw: z.string().default('') }),
      ),
    }),
  ]),
  beforeTool: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('stop'), text: z.string() }),
    z.strictObject({ kind: z.literal('use-arguments'), arguments: given }),
  ]),
  afterTool: z.strictObject({ kind: z.literal('show'), text: z.string() }),
  finish: z.discriminatedUnion('kind', [
    askAgain,
    z.strictObject({ kind: z.literal('use-answer'), answer: z.string().nullable() }),
  ]),
} as const satisfies Record<HookName, z.ZodType>;

const returned = z.strictObject({ action: z.unknown().optional(), state: z.json().optional() });

/**
 * φ's own code: a script that declares functions named after hooks. Each is called as `hook(input, state)` in a fresh world of the sandbox and answers
 * null, an action, or `{action, state}`; `state` is what it is given next time (null at first). docs/harness.md has the inputs.
 */
export const jsHook: MiddlewareFactory<'js'> = (options, { id, code, problem, sandbox, signal }) => {
  const { wallMs, memoryMegabytes } = options;
  const memoryBytes = memoryMegabytes * 2 ** 20;
  const limits = { wallMs, memoryBytes, outputCharacters: MOST_ANSWER_CHARACTERS, signal };
  let state: unknown = null;
  async function call<Hook extends HookName>(
    hook: Hook,
    input: object,
  ): Promise<z.output<(typeof ACTIONS)[Hook]> | null> {
    const answer = await runScript(sandbox, scriptOf(code ?? '', hook, { ...input, problem }, state), limits, id);
    const full = returned.safeParse(answer);
    const isPair = full.success && ('action' in full.data || 'state' in full.data);
    if (isPair && full.data.state !== undefined) state = withinSize(full.data.state);
    const action = isPair ? full.data.action : answer;
    return action === null || action === undefined ? null : checkedAction(hook, action);
  }
  const all: Required<Middleware> = {
    start: (scene) => call('start', { scene }),
    beforeModel: (history, scene) => call('beforeModel', { history, scene }),
    afterModel: (reply, scene) => call('afterModel', { reply, scene }),
    beforeTool: (toolCall, tool, scene) =>
      call('beforeTool', { call: toolCall, parameters: tool?.parameters ?? null, scene }),
    afterTool: (outcome, scene) => call('afterTool', { ...outcome, scene }),
    finish: (answer, scene) => call('finish', { answer, scene }),
  };
  return Object.fromEntries(Object.entries(all).filter(([hook]) => options.hooks.includes(hook as HookName)));
};

/** The hook's file, then an expression that calls it; a file without that function answers null. */
function scriptOf(code: string, hook: HookName, input: object, state: unknown): string {
  const given = [input, state].map((value) => JSON.stringify(value)).join(', ');
  return `${code}\n;typeof ${hook} === 'function' ? JSON.stringify(${hook}(${given}) ?? null) : 'null'`;
}

async function runScript(sandbox: HookSandbox, script: string, limits: SandboxLimits, id: string): Promise<unknown> {
  const run = await sandbox.run(script, limits);
  if (run.kind === 'infrastructure')
    throw new CoHarnessError('sandbox-unavailable', `middleware ${id}: ${run.problem}`);
  if (run.kind !== 'ok') throw new Error(`${run.kind}: ${run.problem}`);
  return JSON.parse(run.value);
}

function checkedAction<Hook extends HookName>(hook: Hook, action: unknown): z.output<(typeof ACTIONS)[Hook]> {
  const schema: z.ZodType = ACTIONS[hook];
  const checked = schema.safeParse(action);
  if (!checked.success) throw new Error(`it answered no action that ${hook} has: ${z.prettifyError(checked.error)}`);
  return checked.data as z.output<(typeof ACTIONS)[Hook]>;
}

function withinSize(state: unknown): unknown {
  const size = JSON.stringify(state).length;
  if (size > MOST_STATE_CHARACTERS) {
    throw new Error(`its state has ${size} characters, at most ${MOST_STATE_CHARACTERS} are kept`);
  }
  return state;
}
