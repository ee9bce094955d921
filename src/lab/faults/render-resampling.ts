import type { ResamplingReport } from './resampling-suite.ts';

/** One line for each way to test. */
export function renderResampling({ failures, results }: ResamplingReport): string {
  const lines = results.map(({ against, causes, confirmed, share, upper95 }) => {
    const part = share === null ? '–' : `${(share * 100).toFixed(1)}%`;
    return `against the ${against}: ${confirmed} of ${causes} causes confirmed (${part}, upper 95% bound ${(upper95 * 100).toFixed(1)}%)`;
  });
  return `${[`${failures} failures that another sample cures`, ...lines].join('\n')}\n`;
}
