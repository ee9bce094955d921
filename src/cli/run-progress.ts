import { type Palette, palette } from '../base/palette.ts';
import { wrapIndented } from '../base/wrap-text.ts';
import type { RunEvent, RunObserver } from '../evolution/run-event.ts';
import { versionTitle } from '../registry/version-title.ts';

/** Least time between two progress lines where the output is not a terminal. */
const PLAIN_INTERVAL_MS = 15_000;

/** Duration for people: `45 s`, `3 min`, `2 h 05 min`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** One line a step; on a terminal the line of the step in progress is rewritten, elsewhere it is printed now and then. */
export function runProgress(stream: NodeJS.WriteStream): RunObserver {
  const isTerminal = stream.isTTY === true;
  const colors = palette(stream);
  let pending = false;
  let lastPlainAt = Number.NEGATIVE_INFINITY;
  const line = (text: string) => {
    if (pending) stream.write('\r\u001b[2K');
    pending = false;
    stream.write(`${text}\n`);
  };
  const transient = (text: string, finished: boolean) => {
    if (isTerminal) {
      // A finished step leaves no line behind: what is printed next may go to another stream.
      stream.write(`\r\u001b[2K${finished ? '' : text.slice(0, (stream.columns ?? 80) - 1)}`);
      pending = !finished;
    } else if (!finished && performance.now() - lastPlainAt > PLAIN_INTERVAL_MS) {
      lastPlainAt = performance.now();
      stream.write(`${text}\n`);
    }
  };
  return (event) => {
    if (event.type === 'progress') {
      const left = event.secondsLeft === undefined ? '' : `, ${formatSeconds(event.secondsLeft)} left`;
      transient(`  ${event.step}: ${event.done}/${event.total}${left}`, event.done === event.total);
    } else if (event.type === 'training-progress') {
      const speed = `${Math.round(event.tokensPerSecond)} tokens/s, ${formatSeconds(event.secondsLeft)} left`;
      transient(
        `  training: step ${event.step}/${event.steps}, loss ${event.loss.toFixed(3)}, ${speed}`,
        event.step === event.steps,
      );
    } else {
      for (const text of describe(event, colors)) line(text);
    }
  };
}

/** Text behind `start`, within 80 columns, the next lines set in below it. */
function hanging(start: string, text: string): string[] {
  return wrapIndented(text.trim(), start, ' '.repeat(start.length));
}

function describe(event: Exclude<RunEvent, { type: 'progress' | 'training-progress' }>, colors: Palette): string[] {
  switch (event.type) {
    case 'phase-started': {
      const where = event.phase === 'test' ? 'Sealed test' : `Round ${event.round}, ${event.phase}`;
      return ['', colors.bold(`${where} (seed ${event.seed}): ${event.detail}`)];
    }
    case 'plan-made':
      return event.lines.flatMap((text) => hanging('  plan: ', text)).map(colors.dim);
    case 'step-finished':
      return [`  ${event.step}: ${event.detail}`];
    case 'failures-diagnosed':
      return [
        `  causes of ${event.failures} failures:`,
        ...event.clusters
          .slice(0, 6)
          .map(({ label, mechanism, count }) => `    ${String(count).padStart(4)}  ${label}: ${mechanism}`),
      ];
    case 'candidate-screened':
      return [`    ${event.kept ? '+' : ' '} ${String(event.correct).padStart(3)}/${event.tasks}  ${event.title}`];
    case 'patch-refused':
      return [colors.yellow(`  refused before any rollout: ${event.title}: ${event.reason}`)];
    case 'version-recorded': {
      const { version } = event;
      const mark = version.accepted
        ? colors.green(`v${version.version} ${version.verdict}`)
        : colors.red(`v${version.version} ${version.verdict}`);
      const title = versionTitle(version);
      const why = version.explanation === title ? [] : hanging('    ', version.explanation);
      return [`  ${mark}: ${title}`, ...why.map(colors.dim)];
    }
    case 'notice':
      return hanging('  ', event.text).map(colors.yellow);
  }
}
