import { argumentCheck } from '../../harness/argument-check.ts';
import type { Harness, HarnessTool } from '../../harness/harness.ts';
import { type SampledArguments, sampleArguments } from '../../harness/sample-arguments.ts';
import { openEpisodeTools } from '../../rollout/tools/episode-tools.ts';
import type { ToolOutcome } from '../../rollout/tools/tool-outcome.ts';
import { isCodeDefect } from './code-defect.ts';
import type { DryRunOrder, DryRunResult, RecordedRollout } from './dry-run-order.ts';

/** Back ends that run code of φ. Servers are not φ's, and a call with made-up arguments could do something there. */
const CODE_KINDS: ReadonlySet<HarnessTool['backend']['kind']> = new Set(['js', 'python', 'command']);
/** A shorter limit may be missed on a busy machine: such a tool gets a second try. */
const SHORT_LIMIT_MS = 1_000;

/**
 * Calls every tool whose code or description the diff changes once, in its sandbox: with the latest recorded arguments that fit its schema, else with made
 * ones. A tool may refuse arguments; it may not fail to load, reach for what is not there, or run into its limits.
 */
export async function tryTools({ parent, child, recorded, hosts, signal }: DryRunOrder): Promise<DryRunResult> {
  const tried: string[] = [];
  for (const tool of child.tools.filter((one) => CODE_KINDS.has(one.backend.kind) && isChanged(one, parent, child))) {
    const given = recordedArguments(tool, recorded) ?? sampleArguments(tool.parameters);
    tried.push(`tool "${tool.name}"`);
    const outcome = await call(child, tool, given, hosts, signal);
    const problem = problemOf(outcome, given);
    if (problem === null) continue;
    return {
      tried,
      objection: `Tool "${tool.name}", tried with ${JSON.stringify(given.values).slice(0, 200)}: ${problem}`,
      ...(outcome.kind === 'unavailable' ? { isUnavailable: true as const } : {}),
    };
  }
  return { tried, objection: null };
}

async function call(
  harness: Harness,
  tool: HarnessTool,
  { values }: SampledArguments,
  hosts: DryRunOrder['hosts'],
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const tries = tool.limits.wallMs < SHORT_LIMIT_MS ? 2 : 1;
  const tools = openEpisodeTools(harness, hosts);
  try {
    for (let attempt = 1; ; attempt++) {
      const outcome = await tools.run(tool, values, signal);
      if (attempt === tries || outcome.kind !== 'failed' || outcome.errorType !== 'timeout') return outcome;
    }
  } finally {
    tools.close();
  }
}

function problemOf(outcome: ToolOutcome, { conforming }: SampledArguments): string | null {
  if (outcome.kind === 'returned') return null;
  if (outcome.kind === 'unavailable') return `it cannot run here: ${outcome.why}`;
  const isJudgement = outcome.errorType === 'exception' && !isCodeDefect(outcome.problem, { conforming });
  return isJudgement ? null : `${outcome.errorType}: ${outcome.problem}`;
}

function recordedArguments(tool: HarnessTool, recorded: readonly RecordedRollout[]): SampledArguments | null {
  const check = argumentCheck(tool.parameters);
  for (const { trajectory } of recorded.toReversed()) {
    for (const event of trajectory.events) {
      const isOne = event.type === 'call-parsed' && event.call.tool === tool.name;
      if (isOne && check(event.call.arguments) === null) return { values: event.call.arguments, conforming: true };
    }
  }
  return null;
}

function isChanged(tool: HarnessTool, parent: Harness, child: Harness): boolean {
  const prefix = `tools/${tool.folder ?? tool.name}/`;
  const filesOf = ({ files }: Harness) => [...files].filter(([path]) => path.startsWith(prefix));
  return JSON.stringify(filesOf(parent)) !== JSON.stringify(filesOf(child));
}
