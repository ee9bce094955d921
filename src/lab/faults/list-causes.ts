import { evidenceCritic } from '../../critic/evidence-critic.ts';
import { minedOf } from './collect-failures.ts';
import { type FaultLabOptions, faultGroups } from './run-fault-lab.ts';

/** One line a development mutation: what was done, what it cost, what the evidence critic says. For people who write rules. */
export async function listCauses(options: FaultLabOptions): Promise<string[]> {
  const lines: string[] = [];
  for (const { scenario, mutation, truth, harness, failures, passed, tasks, lost } of await faultGroups(
    'development',
    options,
  )) {
    const diagnoses = await evidenceCritic.diagnose(minedOf({ failures, passed }), harness);
    const counts = Map.groupBy(diagnoses, ({ label, component, mechanism }) => `${label}/${component}/${mechanism}`);
    const said = [...counts].map(([cause, members]) => `${members.length} × ${cause}`).join(', ');
    const what = mutation === null ? 'intact' : `${mutation.kind} at ${mutation.path}, lost ${lost} of ${tasks}`;
    lines.push(`${scenario.name}: ${what}; truth ${truth.label}/${truth.component}; said ${said}`);
  }
  return lines;
}
