import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contentHash } from '../base/content-hash.ts';
import type { ModelIdentity } from '../model/model-backend.ts';
import { scriptedBackend } from '../model/scripted-backend.ts';
import { embeddedPool, enginePool } from './model-pool.ts';
import { runConfigSchema } from './run-config.ts';

const BASE: ModelIdentity = { base: contentHash('weights'), adapter: null };
const adapted = (name: string): ModelIdentity => ({ ...BASE, adapter: contentHash(name) });

/** A pool of scripted engines: an adapter that is `inactive` answers as the base does. `closed` lists the engines that were ended. */
function scriptedPool({ inactive, unclosable }: { inactive?: ModelIdentity; unclosable?: ModelIdentity } = {}) {
  const closed: ModelIdentity[] = [];
  const pool = enginePool(BASE, async (identity) => {
    const answers = identity.adapter === inactive?.adapter ? BASE.adapter : identity.adapter;
    return {
      ...scriptedBackend({ identity, reply: () => `I am ${answers}` }),
      close: async () => {
        closed.push(identity);
        if (identity.adapter === unclosable?.adapter) throw new Error('does not end');
      },
    };
  });
  return { pool, closed };
}

describe('a pool of engines', () => {
  it('opens each θ once, and ends all that are open', async () => {
    const { pool, closed } = scriptedPool();
    expect(await pool.open(adapted('a'))).toBe(await pool.open(adapted('a')));
    await pool.close();
    expect(closed).toEqual(expect.arrayContaining([BASE, adapted('a')]));
    expect(closed).toHaveLength(2);
  });

  it('opens no adapter whose file is another than its name says', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'co-harness-pool-'));
    await writeFile(join(folder, 'adapter.gguf'), 'other weights');
    const pool = embeddedPool({
      modelPath: join(folder, 'none.gguf'),
      base: BASE,
      adapterFolder: () => folder,
      config: runConfigSchema.shape.model.parse({ source: 'file:none.gguf' }),
      python: () => Promise.reject(new Error('not asked for')),
    });
    await expect(pool.open(adapted('mine'))).rejects.toMatchObject({ code: 'weights-changed' });
    await pool.close();
    await rm(folder, { recursive: true });
  });

  it('ends an engine whose adapter is not proven active, before it says so', async () => {
    const { pool, closed } = scriptedPool({ inactive: adapted('idle') });
    await expect(pool.open(adapted('idle'))).rejects.toMatchObject({ code: 'adapter-inactive' });
    expect(closed).toEqual([adapted('idle')]);
    await pool.close();
    expect(closed).toEqual([adapted('idle'), BASE]);
  });

  it('says why the proof failed where the engine does not end either', async () => {
    const idle = adapted('idle');
    const { pool } = scriptedPool({ inactive: idle, unclosable: idle });
    await expect(pool.open(idle)).rejects.toMatchObject({ code: 'adapter-inactive' });
    await pool.close();
  });

  it('makes room by ending what was used longest ago, never the base', async () => {
    const { pool, closed } = scriptedPool();
    for (const name of ['a', 'b', 'a', 'c']) await pool.open(adapted(name));
    await pool.close();
    expect(closed[0]).toEqual(adapted('b'));
    expect(closed).toHaveLength(4);
  });

  it('tells of an engine that does not end when it is closed, also of one that had to make room, and ends the others', async () => {
    const { pool, closed } = scriptedPool({ unclosable: adapted('a') });
    for (const name of ['a', 'b', 'c']) await pool.open(adapted(name));
    await expect(pool.close()).rejects.toThrow('does not end');
    expect(closed).toHaveLength(4);
  });
});
