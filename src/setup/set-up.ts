import { errorMessage } from '../base/errors.ts';
import { DEFAULT_MODEL_SOURCE, parseModelSource } from '../model/model-source.ts';
import { localModel } from './local-model.ts';
import { ensurePython, pythonEnvironment } from './python-environment.ts';
import { ensurePythonSandbox, installedPythonSandbox } from './python-sandbox-packages.ts';

export interface SetupStep {
  name: 'packages' | 'python' | 'model' | 'python-sandbox';
  /** `ready`: was there. `installed`: done now. `failed`: `detail` names the remedy; later steps were not tried. */
  status: 'ready' | 'installed' | 'failed';
  detail: string;
  seconds: number;
}

/** What `setup --json` prints. */
export interface SetupReport {
  schema: 'co-harness/setup@1';
  ok: boolean;
  steps: SetupStep[];
}

export interface SetUpOptions {
  /** Weights to fetch; default: those of the example. */
  model?: string;
  /** Also what Python tools run in. */
  pythonSandbox?: boolean;
  log: (line: string) => void;
  signal?: AbortSignal;
}

/**
 * Brings everything to this machine that a run needs, in order, and skips what is there. Packages and Node 24 come first of all and
 * are reported only: this code could not run without them. Rejects with AbortedError, and with `model-source-invalid` before anything
 * is done.
 */
export async function setUp({
  model = DEFAULT_MODEL_SOURCE,
  pythonSandbox = false,
  log,
  signal,
}: SetUpOptions): Promise<SetupReport> {
  const shared = { log, ...(signal ? { signal } : {}) };
  const steps: SetupStep[] = [
    {
      name: 'packages',
      status: 'ready',
      detail: `Node ${process.versions.node}, packages as in package-lock.json`,
      seconds: 0,
    },
  ];
  // Before minutes of installing: a misspelt source is the caller's mistake.
  parseModelSource(model);
  const wasReady = pythonEnvironment().ready;
  const actions: [SetupStep['name'], () => Promise<Pick<SetupStep, 'status' | 'detail'>>][] = [
    [
      'python',
      async () => {
        const { python } = await ensurePython(shared);
        return { status: wasReady ? 'ready' : 'installed', detail: python };
      },
    ],
    [
      'model',
      async () => {
        let fetched = false;
        const resolved = await localModel(model, {
          ...shared,
          log: (line) => {
            fetched = true;
            log(line);
          },
        });
        return { status: fetched ? 'installed' : 'ready', detail: `${resolved.path} (SHA-256 ${resolved.hash})` };
      },
    ],
  ];
  if (pythonSandbox) {
    actions.push([
      'python-sandbox',
      async () => {
        const status = (await installedPythonSandbox()) === null ? 'installed' : 'ready';
        return { status, detail: (await ensurePythonSandbox(shared)).deno };
      },
    ]);
  }
  for (const [name, action] of actions) {
    const start = performance.now();
    const seconds = () => Math.round((performance.now() - start) / 100) / 10;
    try {
      steps.push({ name, ...(await action()), seconds: seconds() });
    } catch (error) {
      if (signal?.aborted) throw error;
      steps.push({ name, status: 'failed', detail: errorMessage(error), seconds: seconds() });
      return { schema: 'co-harness/setup@1', ok: false, steps };
    }
  }
  return { schema: 'co-harness/setup@1', ok: true, steps };
}
