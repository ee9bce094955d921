import type { Registry } from '../registry/registry.ts';

/**
 * The registry as the loop sees it: what this process has recorded so far. A process that goes on from a journal finds decisions there that, at the step it
 * repeats, were still to come; whatever is decided from earlier decisions would then come out differently. What a person asked for (a rollback
 * by hand) is seen at once.
 */
export function registryOfProcess(registry: Registry): Registry {
  let newest = -1;
  return {
    ...registry,
    versions: async () =>
      (await registry.versions()).filter(
        ({ version, kind, rolledBack }) => version <= newest || (kind === 'rollback' && rolledBack === undefined),
      ),
    record: async (stepKey, entry, harness) => {
      const version = await registry.record(stepKey, entry, harness);
      newest = Math.max(newest, version.version);
      return version;
    },
  };
}
