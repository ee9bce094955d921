import { totalmem } from 'node:os';
import { errorMessage } from '../base/errors.ts';
import { runCommand } from '../base/run-command.ts';
import type { ModelBackend } from '../model/model-backend.ts';
import type { ResolvedModel } from '../model/model-source.ts';
import { cacheFolder } from './cache-folder.ts';
import { OLDEST_PYTHON } from './find-python.ts';
import { freeBytes, gigabytes } from './free-space.ts';
import { localModel } from './local-model.ts';
import { projectFolder } from './project-folder.ts';
import { installedVersions, pythonEnvironment } from './python-environment.ts';

export const CHECK_NAMES = [
  'node',
  'npm',
  'git',
  'python',
  'python-packages',
  'model-file',
  'generated-token',
  'training-smoke',
  'disk',
  'memory',
] as const;

export interface DoctorCheck {
  name: (typeof CHECK_NAMES)[number];
  /** `warning`: co-harness works, something near it does not. */
  status: 'ok' | 'warning' | 'failed';
  /** What was seen, with values. */
  detail: string;
  /** What the user can do; absent when the status is ok. */
  remedy?: string;
}

/** What `doctor --json` prints. `ok`: no check failed. */
export interface DoctorReport {
  schema: 'co-harness/doctor@1';
  ok: boolean;
  checks: DoctorCheck[];
}

export interface DoctorOptions {
  model: string;
  /** Loads weights into this process. */
  openModel: (model: ResolvedModel) => Promise<ModelBackend>;
  /** Called with the name of each check as it begins: two of them take seconds to minutes. */
  onStart?: (name: DoctorCheck['name']) => void;
  /** Called with each check as it is finished. */
  onCheck: (check: DoctorCheck) => void;
  signal?: AbortSignal;
}

type Outcome = Omit<DoctorCheck, 'name'>;

const SETUP_REMEDY = 'Run: npx co-harness setup';
const SMOKE_MS = 10 * 60_000;
const TOKEN_MS = 120_000;
const LEAST_FREE_BYTES = 2e9;
const LEAST_MEMORY_BYTES = 6e9;

function checkNode(): Outcome {
  const version = process.versions.node;
  if (Number.parseInt(version, 10) >= 24) return { status: 'ok', detail: `${version} (${process.execPath})` };
  return {
    status: 'failed',
    detail: `${version} (${process.execPath})`,
    remedy: 'Node ≥ 24 is needed. Start co-harness with npx co-harness, which brings it.',
  };
}

function checkProgram(command: string, purpose: string, remedy: string): () => Promise<Outcome> {
  return async () => {
    try {
      const { code, stdout } = await runCommand(command, ['--version'], { maxWallMs: 30_000 });
      if (code === 0) return { status: 'ok', detail: stdout.trim().split('\n')[0] ?? '' };
      return { status: 'warning', detail: `${command} --version ended with exit code ${code}`, remedy };
    } catch {
      return { status: 'warning', detail: `${command} is not on the PATH; ${purpose}`, remedy };
    }
  };
}

async function checkPython(): Promise<Outcome> {
  const { python, ready } = pythonEnvironment();
  if (!ready) return { status: 'failed', detail: `no complete Python environment at ${python}`, remedy: SETUP_REMEDY };
  const { code, stdout, stderr } = await runCommand(python, ['--version']);
  if (code === 0) return { status: 'ok', detail: `${stdout.trim()} (${python})` };
  return { status: 'failed', detail: stderr.trim(), remedy: `Python ≥ ${OLDEST_PYTHON} is needed. ${SETUP_REMEDY}` };
}

function satisfies(pin: string, version: string): boolean {
  const wanted = /==(.+)$/.exec(pin)?.[1];
  if (wanted === undefined) return true;
  const plain = version.replace(/\+.*$/, '');
  return wanted.endsWith('.*') ? plain.startsWith(wanted.slice(0, -1)) : plain === wanted;
}

async function checkPythonPackages(): Promise<Outcome> {
  const versions = await installedVersions(pythonEnvironment());
  const detail = versions.map(([pin, version]) => `${pin.split(/[=<>~!]/)[0]} ${version ?? 'missing'}`).join(', ');
  const missing = versions.filter(([, version]) => version === null);
  const other = versions.filter(([pin, version]) => version !== null && !satisfies(pin, version));
  const names = (list: typeof versions) => list.map(([pin]) => pin).join(', ');
  if (missing.length > 0)
    return { status: 'failed', detail, remedy: `Install ${names(missing)}, or run: npx co-harness setup` };
  if (other.length > 0)
    return { status: 'warning', detail, remedy: `Tested with ${names(other)}; unset CO_HARNESS_PYTHON to use these.` };
  return { status: 'ok', detail };
}

async function checkGeneratedToken(model: ResolvedModel, openModel: DoctorOptions['openModel']): Promise<Outcome> {
  const start = performance.now();
  const backend = await openModel(model);
  try {
    const generation = await backend.generate({
      messages: [{ role: 'user', content: 'Say hello.' }],
      sampling: { temperature: 0, topP: 1, topK: 0 },
      seed: 1,
      maxTokens: 8,
      stop: [],
      signal: AbortSignal.timeout(TOKEN_MS),
    });
    const { completionTokens } = generation.usage;
    if (completionTokens < 1)
      return {
        status: 'failed',
        detail: 'the model generated no token',
        remedy: 'Try another model source with --model.',
      };
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    return {
      status: 'ok',
      detail: `${completionTokens} tokens in ${seconds} s, loading included: ${JSON.stringify(generation.text)}`,
    };
  } finally {
    await backend.close();
  }
}

/** One real training step: `coharness_trainer.smoke` answers with one JSON line. */
async function checkTraining(model: ResolvedModel, signal: AbortSignal | undefined): Promise<Outcome> {
  const { python, environment } = pythonEnvironment();
  const { code, stdout, stderr } = await runCommand(python, ['-m', 'coharness_trainer.smoke', model.path], {
    env: environment,
    cwd: projectFolder,
    maxWallMs: SMOKE_MS,
    ...(signal ? { signal } : {}),
  });
  const last = stdout.trim().split('\n').at(-1) ?? '';
  let facts: Record<string, unknown> = {};
  try {
    facts = JSON.parse(last) as Record<string, unknown>;
  } catch {
    facts = { message: stderr.trim().split('\n').at(-1) };
  }
  if (code === 0 && facts.ok === true) {
    return {
      status: 'ok',
      detail: `one step and the adapter's conversion in ${facts.seconds} s on ${facts.device} (${facts.precision}), loss ${facts.firstLoss}`,
    };
  }
  return {
    status: 'failed',
    detail: `training ended with exit code ${code}: ${facts.message ?? last}`,
    remedy: `${SETUP_REMEDY}; python -m coharness_trainer.smoke ${model.path} shows more.`,
  };
}

function checkDisk(): Outcome {
  const folders = [cacheFolder(), process.cwd()];
  const detail = folders.map((folder) => `${gigabytes(freeBytes(folder))} free for ${folder}`).join(', ');
  if (folders.every((folder) => freeBytes(folder) >= LEAST_FREE_BYTES)) return { status: 'ok', detail };
  return {
    status: 'warning',
    detail,
    remedy: `Free at least ${gigabytes(LEAST_FREE_BYTES)}, or set CO_HARNESS_CACHE to a folder on another disk.`,
  };
}

function checkMemory(): Outcome {
  // What may be used, where a container allows less than the machine has; 0 = no limit known.
  const limit = process.constrainedMemory();
  const total = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  const detail = `${gigabytes(total)} in all, ${gigabytes(process.availableMemory())} available`;
  if (total >= LEAST_MEMORY_BYTES) return { status: 'ok', detail };
  return {
    status: 'warning',
    detail,
    remedy: `Training the example needs about ${gigabytes(LEAST_MEMORY_BYTES)}. Close other programs or use a smaller model.`,
  };
}

/**
 * Checks everything a run needs, in the order of CHECK_NAMES, each on its own: a failed check never hides a later one (one that
 * cannot be made without it is `failed` too, and says so). Downloads the weights where they are missing, installs nothing else.
 * Rejects with nothing but AbortedError.
 */
export async function doctor({ model, openModel, onStart, onCheck, signal }: DoctorOptions): Promise<DoctorReport> {
  const checks: DoctorCheck[] = [];
  const check = async (name: DoctorCheck['name'], action: () => Outcome | Promise<Outcome>) => {
    let outcome: Outcome;
    onStart?.(name);
    try {
      outcome = await action();
    } catch (error) {
      if (signal?.aborted) throw error;
      outcome = { status: 'failed', detail: errorMessage(error), remedy: SETUP_REMEDY };
    }
    checks.push({ name, ...outcome });
    onCheck({ name, ...outcome });
  };
  const succeeded = (name: DoctorCheck['name']) =>
    checks.some((done) => done.name === name && done.status !== 'failed');
  const blocked = (by: string): Outcome => ({
    status: 'failed',
    detail: `not tried: ${by} failed`,
    remedy: 'Repair that first.',
  });
  let resolved: ResolvedModel | undefined;

  await check('node', checkNode);
  await check('npm', checkProgram('npm', 'packages cannot be updated', 'Install npm (it comes with Node.js).'));
  await check('git', checkProgram('git', 'co-harness cannot be updated with it', 'Install git.'));
  await check('python', checkPython);
  await check('python-packages', () => (succeeded('python') ? checkPythonPackages() : blocked('python')));
  await check('model-file', async () => {
    resolved = await localModel(model, { log: () => {}, ...(signal ? { signal } : {}) });
    return { status: 'ok', detail: `${resolved.path} (SHA-256 ${resolved.hash})` };
  });
  await check('generated-token', () => (resolved ? checkGeneratedToken(resolved, openModel) : blocked('model-file')));
  await check('training-smoke', () => {
    if (!resolved) return blocked('model-file');
    return succeeded('python-packages') ? checkTraining(resolved, signal) : blocked('python-packages');
  });
  await check('disk', checkDisk);
  await check('memory', checkMemory);
  return { schema: 'co-harness/doctor@1', ok: checks.every(({ status }) => status !== 'failed'), checks };
}
