import { describe, expect, it } from 'vitest';
import { cacheFolder } from './cache-folder.ts';
import { freeBytes, requireFreeSpace } from './free-space.ts';

describe('requireFreeSpace', () => {
  it('measures the disk of a folder that does not exist yet', () => {
    expect(freeBytes('/does/not/exist/yet')).toBe(freeBytes('/'));
  });

  it('says how much is free, how much is needed, and how to choose another disk', () => {
    expect(() => requireFreeSpace('/', 1e18, 'The test')).toThrow(
      /The test needs 1000000000\.0 GB in \/, but only .* GB are free.*CO_HARNESS_CACHE/,
    );
    expect(() => requireFreeSpace('/', 0, 'The test')).not.toThrow();
  });
});

describe('cacheFolder', () => {
  it('prefers CO_HARNESS_CACHE, then XDG_CACHE_HOME', () => {
    expect(cacheFolder({ CO_HARNESS_CACHE: '/a', XDG_CACHE_HOME: '/b' })).toBe('/a');
    expect(cacheFolder({ XDG_CACHE_HOME: '/b' })).toBe('/b/co-harness');
    expect(cacheFolder({})).toMatch(/co-harness$/);
  });
});
