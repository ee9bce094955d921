import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute folder of this checkout. */
export const projectFolder = fileURLToPath(new URL('../..', import.meta.url));

/** Holds the Python package `coharness_trainer`, its pyproject.toml and its tests. */
export const trainerFolder = join(projectFolder, 'trainer');
