import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { downloadFile } from './download-file.ts';
import { CoHarnessError } from './errors.ts';

let folder: string;
let server: Server;
let isAnnounced: boolean;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'co-harness-download-'));
  server = createServer((_request, response) => {
    const body = Buffer.alloc(5_000, 'x');
    // Without a length the body comes in chunks, and never ends here.
    response.writeHead(200, isAnnounced ? { 'content-length': body.length } : {});
    if (isAnnounced) response.end(body);
    else response.write(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

function download(mostBytes: number) {
  return downloadFile({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/file`,
    file: join(folder, 'file'),
    mostBytes,
    log: () => {},
    failed: ({ problem }) => new CoHarnessError('invalid-data', problem),
  });
}

describe('downloadFile', () => {
  it.each([true, false])('refuses a file that is longer than wanted (announced: %s)', async (announced) => {
    isAnnounced = announced;
    await expect(download(4_999)).rejects.toThrow('the file is longer than 4999 bytes');
    expect(readdirSync(folder)).not.toContain('file');
  });

  it('takes one that is just as long', async () => {
    isAnnounced = true;
    await download(5_000);
    expect(readdirSync(folder)).toEqual(['file']);
  });
});
