import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { CoHarnessError } from './errors.ts';

export interface ProgramPlace {
  /** Folder that it will run in: a name with a slash counts from there. */
  directory: string;
  /** Value of PATH that it will be looked up in; default: this process's. */
  path?: string;
  /** What names it, for people: a field of a config, say. */
  field: string;
}

/**
 * Refuses a program that could not be started: a name with a slash must be a file that may be run, any other name such a file in a folder of PATH. Throws
 * CoHarnessError `program-missing`. On Windows, where names stand for several files, every program passes.
 */
export function requireProgram(
  program: string,
  { directory, path = process.env.PATH ?? '', field }: ProgramPlace,
): void {
  if (process.platform === 'win32') return;
  if (!program.includes('/')) {
    if (findProgram(program, { directory, path }) !== null) return;
    throw missing(field, `the program "${program}" is in no folder of PATH. Install it, or write its path`, program);
  }
  const file = resolve(directory, program);
  if (isRunnable(file)) return;
  const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  throw isFile
    ? missing(field, `the program ${file} may not be run. Allow it: chmod +x ${file}`, program)
    : missing(
        field,
        `the program ${file} does not exist. Write it, or correct the path (it counts from ${directory})`,
        program,
      );
}

/** File that a name without a slash starts: the first in the folders of `path` that may be run. Null where there is none. */
export function findProgram(
  name: string,
  { directory = '', path = '' }: { directory?: string; path?: string },
): string | null {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => resolve(directory, folder, name)).find(isRunnable) ?? null;
}

function missing(field: string, problem: string, program: string): CoHarnessError {
  return new CoHarnessError('program-missing', `${field}: ${problem}.`, { details: { field, program } });
}

function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
