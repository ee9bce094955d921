import { CoHarnessError, errorMessage } from '../../base/errors.ts';
import { type ModelReference, parseModelReference } from '../../model/model-reference.ts';

/** What a `critic` setting names. */
export type CriticChoice =
  | { kind: 'evidence' }
  | { kind: 'model'; server: Extract<ModelReference, { kind: 'server' }> }
  | { kind: 'ai-sdk'; file: string }
  | { kind: 'command'; command: readonly [string, ...string[]] };

/** How somebody is named who is asked, for people. */
export const READER_FORMS = 'model:openai:URL#NAME, ai-sdk:FILE or command:PROGRAM …';

/**
 * `evidence`; `model:openai:URL#NAME`; `ai-sdk:FILE`; `command:PROGRAM ARGUMENTS` with arguments in single or double quotes where they hold blanks. `field`
 * is what holds the text, for people. Throws CoHarnessError `invalid-critic`.
 */
export function parseCritic(text: string, field = 'critic'): CriticChoice {
  if (text === 'evidence') return { kind: 'evidence' };
  const [, kind, rest = ''] = /^(model|ai-sdk|command):([\s\S]*)$/.exec(text) ?? [];
  if (kind === 'ai-sdk' && rest.trim() !== '') return { kind, file: rest.trim() };
  if (kind === 'model' && rest.trim() !== '') return { kind, server: serverOf(rest.trim(), field) };
  const [program, ...args] = kind === 'command' ? commandWords(rest) : [];
  if (program !== undefined) return { kind: 'command', command: [program, ...args] };
  throw new CoHarnessError(
    'invalid-critic',
    `${field}: "${text}" names nobody who could be asked. Write evidence, model:openai:http://127.0.0.1:8000/v1#name, ai-sdk:FILE, or command:PROGRAM ARGUMENTS.`,
    { details: { critic: text, field } },
  );
}

function serverOf(source: string, field: string): Extract<ModelReference, { kind: 'server' }> {
  const reference = referenceOf(source, field);
  if (reference.kind === 'server') return reference;
  throw new CoHarnessError(
    'invalid-critic',
    `${field}: ${source} is no server. Serve the model and write model:openai:http://HOST:PORT/v1#NAME.`,
    { details: { critic: source, field } },
  );
}

function referenceOf(source: string, field: string): ModelReference {
  try {
    return parseModelReference(source);
  } catch (cause) {
    throw new CoHarnessError(
      'invalid-critic',
      `${field}: ${errorMessage(cause)} A model that is asked stands behind a server: model:openai:http://HOST:PORT/v1#NAME. A model of the AI SDK: ai-sdk:FILE.`,
      { details: { field }, cause },
    );
  }
}

/** Words of a command line; quotes keep blanks together, nothing else has a meaning. */
function commandWords(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}
