import { statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** File that a program's name starts: a name with a slash is a path, any other is looked for on the PATH. Null where there is none. */
export function findProgram(name: string, environment: NodeJS.ProcessEnv = process.env): string | null {
  const folders = (environment.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const places = name.includes('/') ? [name] : folders.map((folder) => join(folder, name));
  return places.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile()) ?? null;
}
