import type { ToolHosts } from '../rollout/tools/tool-hosts.ts';
import { javaScriptSandbox } from '../sandbox/javascript-sandbox.ts';
import { pythonSandbox } from '../sandbox/python-sandbox.ts';
import { ensurePythonSandbox } from '../setup/python-sandbox-packages.ts';

/** Every place where tools run. Python is installed when a tool first needs it. */
export function openToolHosts(options: { log: (line: string) => void; signal?: AbortSignal }): ToolHosts {
  let installing: ReturnType<typeof ensurePythonSandbox> | undefined;
  return {
    javaScript: javaScriptSandbox(),
    python: pythonSandbox({
      installation: () => {
        installing ??= ensurePythonSandbox(options);
        return installing;
      },
    }),
  };
}
