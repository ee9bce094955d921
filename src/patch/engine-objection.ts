import type { Harness } from '../harness/harness.ts';
import type { ModelBackend } from '../model/model-backend.ts';

/** Why an engine can run no rollout under φ; null where it can. */
export function objectionOfEngine(
  { settings }: Harness,
  { nativeTools }: Pick<ModelBackend, 'nativeTools'>,
): string | null {
  if (settings.protocol.dialect.kind !== 'native' || nativeTools === true) return null;
  return 'Calls would be written in the tool protocol of a server (protocol.dialect.kind: native), which this engine does not have.';
}
