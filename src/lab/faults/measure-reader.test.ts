import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { ATTRIBUTION_LABELS, type AttributionLabel } from '../../critic/attribution.ts';
import { commandReader } from '../../critic/reader/command-reader.ts';
import { criticPrompt } from '../../critic/reader/critic-prompt.ts';
import type { CriticReader } from '../../critic/reader/critic-reader.ts';
import { subjectOfRollout } from '../../critic/reader/subject-of-rollout.ts';
import type { LabGroup } from './collect-failures.ts';
import { drawFailures } from './draw-failures.ts';
import { registerLabFaultsCommand } from './lab-faults-command.ts';
import { measureReader, type ReaderLabReport } from './measure-reader.ts';
import { faultGroups } from './run-fault-lab.ts';

const LAB = { seed: 1, perKind: 1, tasks: 8, failures: 4, patches: 1, samples: 1 };
const FAILURES = 18;

/** Blames the tool wherever the model was called twice, and has no answer for the rest. */
const SECOND_CALL = 'sent: turn 1 ';
const SCRIPT = `#!/bin/sh
if grep -q '${SECOND_CALL}'; then
cat <<'ANSWER'
{"label": "tool_schema_error", "component": "tool", "path": "tools/x/tool.yaml", "mechanism": "The tool is at fault.", "severity": 1,
 "confidence": 0.9, "evidence": [{"event": "harness.yaml", "quote": "tools"}], "repair": null}
END OF DIAGNOSIS
ANSWER
else
echo 'I cannot say.'
fi
`;

function scriptFile(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'reader-')), 'critic.sh');
  writeFileSync(file, SCRIPT);
  chmodSync(file, 0o755);
  return file;
}

/** The script as a reader that says how many of its questions were in flight at once. */
function watched(reader: CriticReader): CriticReader & { most: number } {
  let inFlight = 0;
  const own = {
    ...reader,
    most: 0,
    read: async (...question: Parameters<CriticReader['read']>) => {
      own.most = Math.max(own.most, ++inFlight);
      return reader.read(...question).finally(() => inFlight--);
    },
  };
  return own;
}

describe('a draw of failures', () => {
  /** Groups of `sizes` failures under one label, told apart by their tasks alone. */
  const groupsOf = (label: AttributionLabel, ...sizes: number[]) =>
    sizes.map((size, index) => {
      const failures = Array.from({ length: size }, (_, number) => ({ key: `${label} ${index} ${number}` }));
      return { truth: { label, component: null }, failures } as unknown as LabGroup;
    });
  const groups = [
    ...groupsOf('prompt_ambiguity', 9, 1, 5),
    ...groupsOf('memory_overflow', 1),
    ...groupsOf('agent_error', 30),
  ];
  const keys = (count: number, seed: number) =>
    drawFailures(groups, { count, seed }).map(({ failure }) => String(failure.key));

  it('takes one of each label before the second of any, and the others take the turns of one that has run out', () => {
    const labels = keys(9, 1).map((key) => key.split(' ')[0]);
    expect(labels.slice(0, 3).sort()).toEqual(['agent_error', 'memory_overflow', 'prompt_ambiguity']);
    expect(labels.filter((label) => label === 'prompt_ambiguity')).toHaveLength(4);
    expect(labels.filter((label) => label === 'agent_error')).toHaveLength(4);
  });

  it('takes one of each group of a label before the second of any', () => {
    const prompts = keys(11, 1).filter((key) => key.startsWith('prompt_ambiguity'));
    expect(new Set(prompts.slice(0, 3)).size).toBe(3);
    expect(new Set(prompts.slice(0, 3).map((key) => key.split(' ')[1])).size).toBe(3);
    expect(new Set(prompts.slice(3, 5).map((key) => key.split(' ')[1]))).toEqual(new Set(['0', '2']));
  });

  it('is the same for the same seed, another for another, and never holds a failure twice', () => {
    expect(keys(20, 1)).toEqual(keys(20, 1));
    expect(keys(20, 1)).not.toEqual(keys(20, 2));
    expect(new Set(keys(99, 1)).size).toBe(46);
  });
});

describe('a reader in the fault lab', () => {
  const reader = watched(commandReader({ command: [scriptFile()], timeoutMs: 60_000 }));
  let report: ReaderLabReport;
  let answered: boolean[];
  beforeAll(async () => {
    report = await measureReader(LAB, { reader, failures: FAILURES, votes: 1, concurrency: 3, split: 'development' });
    const drawn = drawFailures(await faultGroups('development', LAB), { count: FAILURES, seed: LAB.seed });
    answered = drawn.map(({ failure, group }) =>
      criticPrompt(subjectOfRollout(failure.trajectory, group.harness), 200_000).text.includes(SECOND_CALL),
    );
  }, 240_000);

  it('is asked about failures of every label in equal number, as many at once as allowed', () => {
    expect(report.results[0]?.labels.map(({ label, n }) => [label, n])).toEqual(
      ATTRIBUTION_LABELS.map((label) => [label, FAILURES / ATTRIBUTION_LABELS.length]),
    );
    expect(reader.most).toBe(3);
  });

  it('stands beside the evidence critic and both together on the same failures', () => {
    expect(report.results.map(({ critic, n }) => [critic, n])).toEqual([
      [reader.name, FAILURES],
      ['evidence', FAILURES],
      [`evidence + ${reader.name}`, FAILURES],
    ]);
    const [alone, evidence] = report.results;
    expect(evidence?.cost).toEqual({ modelCalls: 0, tokens: 0 });
    expect(evidence?.labelRight.right).toBeGreaterThan(alone?.labelRight.right ?? FAILURES);
  });

  it('counts what it answers by label and component with an interval', () => {
    const [alone] = report.results;
    const right = report.failures.filter(
      ({ truth }, index) => answered[index] && truth.label === 'tool_schema_error',
    ).length;
    expect(right).toBeGreaterThan(0);
    expect(alone?.labelRight).toMatchObject({ right, n: FAILURES, share: right / FAILURES });
    expect(alone?.labelRight.low).toBeLessThan(right / FAILURES);
    expect(alone?.labelRight.high).toBeGreaterThan(right / FAILURES);
    expect(alone?.componentRight.n).toBe(FAILURES - FAILURES / ATTRIBUTION_LABELS.length);
  });

  it('is undecided where its reply stays invalid after a second try, and pays for both', () => {
    const silent = answered.filter((one) => !one).length;
    expect(silent).toBeGreaterThan(0);
    expect(report.replies).toMatchObject({ asked: FAILURES, invalid: silent });
    expect(report.results[0]?.abstained).toBeCloseTo(silent / FAILURES);
    expect(report.results[0]?.cost.modelCalls).toBe(FAILURES + silent);
    expect(report.failures.map(({ said }) => said[reader.name]?.label ?? null)).toEqual(
      answered.map((one) => (one ? 'tool_schema_error' : null)),
    );
  });

  it('is stopped with the first question that rejects', async () => {
    const broken: CriticReader = { ...reader, read: () => Promise.reject(new Error('the meter is empty')) };
    const options = { failures: 2, votes: 1, concurrency: 2, split: 'development' } as const;
    await expect(measureReader({ ...LAB, tasks: 2 }, { reader: broken, ...options })).rejects.toThrow(
      'the meter is empty',
    );
  }, 120_000);
});

describe('the command lab faults --critic', () => {
  const run = (...args: string[]) => {
    const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
    registerLabFaultsCommand(program, {
      openReader: async () => null,
      openActor: () => Promise.reject(new Error('no actor is asked for')),
      write: () => {},
      progress: () => {},
    });
    return program.parseAsync(['lab', 'faults', ...args], { from: 'user' });
  };

  it('refuses a critic that asks nobody, a count of nothing, and two reports at once', async () => {
    await expect(run('--critic', 'evidence')).rejects.toMatchObject({ code: 'invalid-critic' });
    await expect(run('--critic', 'command:cat', '--failures', '0')).rejects.toMatchObject({
      code: 'commander.invalidArgument',
    });
    await expect(run('--critic', 'command:cat', '--causes')).rejects.toMatchObject({
      code: 'commander.conflictingOption',
    });
  });
});
