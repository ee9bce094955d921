import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { palette } from './palette.ts';

const terminal = () =>
  Object.assign(new PassThrough(), { isTTY: true, getColorDepth: () => WriteStream.prototype.getColorDepth() });

describe('palette', () => {
  afterEach(() => vi.unstubAllEnvs());
  const quiet = {
    CI: undefined,
    FORCE_COLOR: undefined,
    NO_COLOR: undefined,
    NODE_DISABLE_COLORS: undefined,
    TERM: 'xterm-256color',
  };
  it.each([
    ['a terminal has colours', terminal(), {}, true],
    ['a terminal has none where nobody wants them', terminal(), { NO_COLOR: '1' }, false],
    ['a pipe has none', new PassThrough(), {}, false],
    ['a pipe of a build server has none', new PassThrough(), { CI: 'true' }, false],
    ['a pipe has them where they are forced', new PassThrough(), { FORCE_COLOR: '1' }, true],
  ])('%s', (_, stream, environment, coloured) => {
    for (const [name, value] of Object.entries({ ...quiet, ...environment })) vi.stubEnv(name, value);
    expect(palette(stream).red('Error')).toBe(coloured ? '\u001b[31mError\u001b[39m' : 'Error');
  });
});
