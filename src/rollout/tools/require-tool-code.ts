import { CoHarnessError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import type { Harness, HarnessTool } from '../../harness/harness.ts';
import { BUILTIN_TOOLS } from './builtin-tools.ts';
import { INTERPRETERS } from './episode-tools.ts';

/**
 * Refuses a φ that somebody wrote with a tool whose every call would fail: code that is not there, a built-in that nobody knows, a server that the config
 * (`tools.mcp`) does not name. φ of a search may lack them: a diff that takes an entry away is judged by its rollouts. Throws CoHarnessError `invalid-harness`
 * with file, field and the nearest known name.
 */
export function requireToolCode(harness: Harness, mcpServers: readonly string[]): void {
  for (const tool of harness.tools) {
    const { backend } = tool;
    if (backend.kind === 'record') continue;
    if (backend.kind === 'builtin') {
      const known = [...BUILTIN_TOOLS.keys(), ...Object.keys(INTERPRETERS)];
      if (!known.includes(backend.name))
        throw unknown(tool, 'name', `no built-in "${backend.name}"`, backend.name, known);
    } else if (backend.kind === 'mcp') {
      const [server = ''] = backend.entry.split('/');
      if (!mcpServers.includes(server)) {
        throw unknown(tool, 'entry', `no MCP server "${server}" in tools.mcp of the config`, server, mcpServers);
      }
    } else {
      const prefix = `tools/${tool.folder ?? tool.name}/`;
      if (harness.files.has(`${prefix}${backend.entry}`)) continue;
      const code = [...harness.files.keys()].filter((path) => path.startsWith(prefix) && path !== `${prefix}tool.yaml`);
      const present = code.map((path) => path.slice(prefix.length));
      throw unknown(tool, 'entry', `no file ${prefix}${backend.entry}`, backend.entry, present);
    }
  }
}

function unknown(
  tool: HarnessTool,
  field: 'name' | 'entry',
  missing: string,
  word: string,
  known: readonly string[],
): CoHarnessError {
  const file = `tools/${tool.folder ?? tool.name}/tool.yaml`;
  const near = nearest(word, known);
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  return new CoHarnessError(
    'invalid-harness',
    `${file} backend.${field}: there is ${missing} (there: ${known.join(', ') || 'nothing'}).${hint} Every call of the tool would fail: add it, or name another.`,
    { details: { file, field: `backend.${field}`, known } },
  );
}
