import { CoHarnessError } from '../../base/errors.ts';

/** What a `critic` setting names. */
export type CriticChoice =
  | { kind: 'evidence' }
  | { kind: 'model'; source: string }
  | { kind: 'command'; command: readonly [string, ...string[]] };

/**
 * `evidence`; `model:openai:URL#NAME`; `command:PROGRAM ARGUMENTS` with arguments in single or double quotes where they hold blanks. Throws
 * CoHarnessError `invalid-critic`.
 */
export function parseCritic(text: string): CriticChoice {
  if (text === 'evidence') return { kind: 'evidence' };
  const [, kind, rest = ''] = /^(model|command):([\s\S]*)$/.exec(text) ?? [];
  if (kind === 'model' && rest.trim() !== '') return { kind, source: rest.trim() };
  const [program, ...args] = kind === 'command' ? commandWords(rest) : [];
  if (program !== undefined) return { kind: 'command', command: [program, ...args] };
  throw new CoHarnessError(
    'invalid-critic',
    `"${text}" names no critic. Write evidence, model:openai:http://127.0.0.1:8000/v1#name, or command:PROGRAM ARGUMENTS.`,
    { details: { critic: text } },
  );
}

/** Words of a command line; quotes keep blanks together, nothing else has a meaning. */
function commandWords(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}
