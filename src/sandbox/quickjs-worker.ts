import { parentPort, workerData } from 'node:worker_threads';
import type { GuestLimits, GuestTask } from './guest.ts';
import { openQuickJsWorld, type QuickJsWorld } from './quickjs-world.ts';
import type { WebAssemblyModule } from './web-assembly.ts';

/** What the thread is given at its start. `isInGuest[0]` is 1 while code of the guest runs. */
export interface QuickJsWorkerData {
  module: WebAssemblyModule;
  isInGuest: Int32Array;
}

export type QuickJsRequest =
  | { id: number; kind: 'run'; task: GuestTask; limits: GuestLimits }
  | { id: number; kind: 'renew' };

const { module, isInGuest } = workerData as QuickJsWorkerData;
let world: QuickJsWorld | null = null;

async function answer(request: QuickJsRequest): Promise<void> {
  if (request.kind === 'renew') {
    world = null;
    parentPort?.postMessage({ id: request.id });
    return;
  }
  const { task, limits, id } = request;
  world ??= await openQuickJsWorld(module, limits.memoryBytes);
  Atomics.store(isInGuest, 0, 1);
  const { run, isUsable } = world.perform(task, limits);
  Atomics.store(isInGuest, 0, 0);
  if (!isUsable) world = null;
  parentPort?.postMessage({ id, run, isUsable });
}

parentPort?.on('message', (request: QuickJsRequest) => void answer(request));
parentPort?.postMessage({ id: 0 });
