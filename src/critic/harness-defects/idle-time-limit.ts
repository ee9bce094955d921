import type { FactSetting, HarnessFacts } from '../harness-facts/harness-facts.ts';
import type { HarnessDefect } from './harness-defect.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  milliseconds: 1,
  millis: 1,
  s: 1000,
  sec: 1000,
  secs: 1000,
  seconds: 1000,
  min: 60_000,
  mins: 60_000,
  minutes: 60_000,
};

/** Time limits of a part that are no shorter than the limit of the whole: they can never fire. */
export function idleTimeLimit({ settings }: HarnessFacts): HarnessDefect[] {
  const times = settings.flatMap((setting) => {
    const milliseconds = durationOf(setting);
    return milliseconds === null ? [] : [{ ...setting, milliseconds }];
  });
  const whole = times.find(
    ({ words }) =>
      words.some((word) =>
        ['total', 'task', 'rollout', 'run', 'overall', 'wall', 'episode', 'session'].includes(word),
      ) && !words.some(isPart),
  );
  if (whole === undefined) return [];
  return times
    .filter((part) => part !== whole && part.words.some(isPart) && part.milliseconds >= whole.milliseconds)
    .map((part) => ({
      label: 'middleware_mismatch',
      component: part.component,
      path: part.path,
      mechanism: 'time-limit-cannot-fire',
      explanation:
        'A part may take as long as the whole: its time limit can never fire, and one hanging part takes the run with it.',
      confidence: 0.7,
      quotes: [part, whole].map(({ path, value }) => ({ path, quote: String(value) })),
      about: ['time', 'timeout', 'timed'],
      repair:
        typeof part.value === 'number'
          ? [
              {
                path: part.path,
                old: part.value,
                value: Math.max(1, Math.floor((part.value * whole.milliseconds) / part.milliseconds / 4)),
              },
            ]
          : null,
    }));
}

function isPart(word: string): boolean {
  return ['tool', 'call', 'step', 'request', 'turn', 'hook', 'command'].includes(word);
}

function durationOf({ words, value }: FactSetting): number | null {
  if (typeof value !== 'number' || value <= 0) return null;
  if (!words.some((word) => ['timeout', 'time', 'wall', 'deadline', 'seconds', 'ms'].includes(word))) return null;
  const unit = words.map((word) => UNIT_MS[word]).find((factor) => factor !== undefined);
  return value * (unit ?? 1000);
}
