import { type RunConfig, type RunConfigInput, runConfigSchema } from './run-config.ts';

/** The least that a config says, and what a test says besides. Nothing it names exists. */
export function leastConfig(changes: Partial<RunConfigInput> = {}): RunConfig {
  return runConfigSchema.parse({
    name: 'x',
    model: { source: 'file:none.gguf' },
    tasks: { path: 'none' },
    verifier: { kind: 'numeric' },
    ...changes,
  });
}
