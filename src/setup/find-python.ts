import { CoHarnessError } from '../base/errors.ts';
import { runCommand } from '../base/run-command.ts';

export interface FoundPython {
  /** Absolute path of the interpreter. */
  executable: string;
  /** E.g. 3.11.7. */
  version: string;
}

export const OLDEST_PYTHON = '3.10';
const CANDIDATES = ['python3.13', 'python3.12', 'python3.11', 'python3.10', 'python3', 'python'];
const OLDEST_MINOR = 10;

const PROBE = `
import sys
problem = ''
try:
    import venv, ensurepip
except ImportError as error:
    problem = 'no module ' + str(error.name)
print(sys.executable, '%d.%d.%d' % sys.version_info[:3], problem, sep='|')
`;

/** Null where the command does not exist or does not run (a version manager's shim, for instance). */
async function probe(command: string): Promise<(FoundPython & { problem: string }) | null> {
  try {
    const { code, stdout } = await runCommand(command, ['-c', PROBE], { maxWallMs: 20_000 });
    const [executable = '', version = '', problem = ''] = stdout.trim().split('|');
    return code === 0 ? { executable, version, problem } : null;
  } catch {
    return null;
  }
}

/**
 * The first interpreter on the PATH, of python3.13 … python3.10, python3, python, that runs, is at least 3.10 and can make virtual
 * environments. Throws CoHarnessError `python-missing` that tells what was found instead.
 */
export async function findPython(candidates: readonly string[] = CANDIDATES): Promise<FoundPython> {
  const rejected: string[] = [];
  for (const command of candidates) {
    const found = await probe(command);
    if (found === null) continue;
    const [major = 0, minor = 0] = found.version.split('.').map(Number);
    if (major !== 3 || minor < OLDEST_MINOR) rejected.push(`${command} is ${found.version}`);
    else if (found.problem !== '') rejected.push(`${command} (${found.version}) has ${found.problem}`);
    else return { executable: found.executable, version: found.version };
  }
  const seen = rejected.length === 0 ? 'none was found on the PATH' : `found only: ${rejected.join('; ')}`;
  throw new CoHarnessError(
    'python-missing',
    `Training needs Python ≥ ${OLDEST_PYTHON} with the modules venv and ensurepip; ${seen}. Install it (Debian or Ubuntu: apt install ` +
      'python3 python3-venv; macOS: brew install python), or set CO_HARNESS_PYTHON to an interpreter that has the packages of ' +
      'trainer/pyproject.toml.',
    { details: { rejected } },
  );
}
