import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchPublishedFile } from './fetch-published-file.ts';
import { findPublishedSet } from './published-set.ts';

const found = findPublishedSet('aime-2025');
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

let folder: string;
let cacheFolder: string;
let server: Server;
let answer: { status: number; body: string; packed?: boolean };
let requests: number;
let from: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'co-harness-data-'));
  cacheFolder = join(folder, 'cache');
  answer = { status: 200, body: '{"problem": "P?", "answer": "1"}\n' };
  requests = 0;
  server = createServer((_request, response) => {
    requests++;
    const body = answer.packed === true ? gzipSync(answer.body) : Buffer.from(answer.body);
    const encoding = answer.packed === true ? { 'content-encoding': 'gzip' } : {};
    response.writeHead(answer.status, { 'content-length': body.length, ...encoding });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  from = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sets/test.jsonl`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const fetch = (options: { from?: string; expectedHash?: string } = {}) =>
  fetchPublishedFile(found, { cacheFolder, from, log: () => {}, ...options });

describe('fetchPublishedFile', () => {
  it('downloads once, then answers from the cache with the same hash', async () => {
    const first = await fetch();
    expect(first).toMatchObject({ hash: sha256(answer.body), source: from });
    expect(await fetch()).toEqual(first);
    expect(requests).toBe(1);
  });

  it('keeps its pin apart from a file whose address ends in that name', async () => {
    const mirror = from.replace('test.jsonl', 'pins.json');
    const first = await fetch({ from: mirror });
    expect(await fetch({ from: mirror })).toEqual(first);
    expect(requests).toBe(1);
  });

  it('reads what a server packs on the way', async () => {
    answer.packed = true;
    expect((await fetch()).hash).toBe(sha256(answer.body));
  });

  it('holds the file to the hash of its first download, on disk and when it is fetched again', async () => {
    const { path } = await fetch();
    writeFileSync(path, 'changed');
    await expect(fetch()).rejects.toMatchObject({ code: 'data-hash-mismatch' });
    rmSync(path);
    answer.body = '{"problem": "Another?", "answer": "2"}\n';
    await expect(fetch()).rejects.toThrow(/pin of the first download/);
    expect(existsSync(path)).toBe(false);
  });

  it('refuses a file with another hash than the one asked for, naming both', async () => {
    const expectedHash = 'a'.repeat(64);
    await expect(fetch({ expectedHash })).rejects.toThrow(new RegExp(`${sha256(answer.body)}.*${expectedHash}`));
  });

  it('reads a local file where it lies and keeps no copy', async () => {
    const file = join(folder, 'mine.jsonl');
    writeFileSync(file, 'text');
    expect(await fetch({ from: file })).toEqual({ path: file, hash: sha256('text'), source: file });
    expect(existsSync(cacheFolder)).toBe(false);
    await expect(fetch({ from: join(folder, 'none') })).rejects.toMatchObject({ code: 'file-missing' });
  });

  it.each([404, 503])('says what to do when the server answers %i, and leaves nothing behind', async (status) => {
    answer = { status, body: 'no' };
    await expect(fetch()).rejects.toThrow(new RegExp(`answered ${status}.*--from FILE`));
    expect(readdirSync(join(cacheFolder, 'data'))).toEqual([]);
  });

  it('says what to do without a network', async () => {
    await expect(fetch({ from: 'http://127.0.0.1:9/x.jsonl' })).rejects.toMatchObject({
      code: 'data-download-failed',
      message: expect.stringContaining('--from FILE'),
    });
  });
});
