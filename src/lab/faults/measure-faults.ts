import type { FaultSplit } from './fault-catalogues.ts';
import { listCauses } from './list-causes.ts';
import { measureReader, type ReaderLabOptions } from './measure-reader.ts';
import type { RealActor } from './real-actor.ts';
import { renderFaultLab } from './render-fault-lab.ts';
import { renderReaderLab } from './render-reader-lab.ts';
import { renderRepairs } from './render-repairs.ts';
import { renderResampling } from './render-resampling.ts';
import { QUICK_REPAIR, runRepairs } from './repair-loop.ts';
import { QUICK_RESAMPLING, runResamplingSuite } from './resampling-suite.ts';
import { FULL_FAULT_LAB, QUICK_FAULT_LAB, REAL_FAULT_LAB, runFaultLab } from './run-fault-lab.ts';

/** What `lab faults` is asked for: `causes`, `resampling`, `repair` or `reading` instead of the tables of critics. */
export interface FaultsOptions {
  full: boolean;
  seed: number;
  split?: FaultSplit;
  causes: boolean;
  resampling: boolean;
  repair: boolean;
  /** In the place of the scripted model. */
  actor?: RealActor;
  /** A reader to be measured on some failures of the split. */
  reading?: Omit<ReaderLabOptions, 'split' | 'onProgress' | 'signal'>;
  signal?: AbortSignal;
}

/** The report that the options ask for, as data and as text. */
export async function measureFaults(
  { full, seed, split, causes, resampling, repair, actor, reading, signal }: FaultsOptions,
  onProgress: (text: string) => void,
): Promise<{ report: unknown; text: string }> {
  const stopped = signal === undefined ? {} : { signal };
  const quick = actor === undefined ? QUICK_FAULT_LAB : REAL_FAULT_LAB;
  const options = { ...(full ? FULL_FAULT_LAB : quick), seed, ...stopped };
  if (causes) {
    const lines = await listCauses(options);
    return { report: { schema: 'co-harness/lab-causes@1', lines }, text: `${lines.join('\n')}\n` };
  }
  if (reading !== undefined) {
    const report = await measureReader(options, { ...reading, ...stopped, split: split ?? 'heldOut', onProgress });
    return { report, text: renderReaderLab(report) };
  }
  if (resampling) {
    const report = await runResamplingSuite({ ...QUICK_RESAMPLING, onProgress });
    return { report, text: renderResampling(report) };
  }
  if (repair) {
    const report = await runRepairs({ ...QUICK_REPAIR, seed, ...(split === undefined ? {} : { split }), onProgress });
    return { report, text: renderRepairs(report) };
  }
  const splits = split === undefined ? {} : { splits: [split] };
  const acted = actor === undefined ? {} : { actor };
  const report = await runFaultLab({ ...options, ...acted, ...splits, onProgress });
  return { report, text: renderFaultLab(report) };
}
