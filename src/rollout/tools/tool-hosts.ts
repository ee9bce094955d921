import { javaScriptSandbox } from '../../sandbox/javascript-sandbox.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';

/** Where tools that are not built in run. One set serves any number of rollouts at once. */
export interface ToolHosts {
  javaScript: Sandbox;
  /** Null: this installation has no Python sandbox. */
  python: Sandbox | null;
}

let shared: ToolHosts | undefined;

/** What rollouts use that were given nothing else: JavaScript alone. Nothing starts before a tool needs it; idle threads do not keep a program alive. */
export function sharedToolHosts(): ToolHosts {
  shared ??= { javaScript: javaScriptSandbox(), python: null };
  return shared;
}
