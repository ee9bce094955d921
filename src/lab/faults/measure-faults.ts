import type { FaultSplit } from './fault-catalogues.ts';
import { listCauses } from './list-causes.ts';
import { renderFaultLab } from './render-fault-lab.ts';
import { renderRepairs } from './render-repairs.ts';
import { renderResampling } from './render-resampling.ts';
import { QUICK_REPAIR, runRepairs } from './repair-loop.ts';
import { QUICK_RESAMPLING, runResamplingSuite } from './resampling-suite.ts';
import { FULL_FAULT_LAB, QUICK_FAULT_LAB, runFaultLab } from './run-fault-lab.ts';

/** What `lab faults` is asked for: `causes`, `resampling` or `repair` instead of the tables of critics. */
export interface FaultsOptions {
  full: boolean;
  seed: number;
  split?: FaultSplit;
  causes: boolean;
  resampling: boolean;
  repair: boolean;
}

/** The report that the options ask for, as data and as text. */
export async function measureFaults(
  { full, seed, split, causes, resampling, repair }: FaultsOptions,
  onProgress: (text: string) => void,
): Promise<{ report: unknown; text: string }> {
  const options = { ...(full ? FULL_FAULT_LAB : QUICK_FAULT_LAB), seed };
  if (causes) {
    const lines = await listCauses(options);
    return { report: { schema: 'co-harness/lab-causes@1', lines }, text: `${lines.join('\n')}\n` };
  }
  if (resampling) {
    const report = await runResamplingSuite({ ...QUICK_RESAMPLING, onProgress });
    return { report, text: renderResampling(report) };
  }
  if (repair) {
    const report = await runRepairs({ ...QUICK_REPAIR, seed, ...(split === undefined ? {} : { split }), onProgress });
    return { report, text: renderRepairs(report) };
  }
  const report = await runFaultLab({ ...options, ...(split === undefined ? {} : { splits: [split] }), onProgress });
  return { report, text: renderFaultLab(report) };
}
