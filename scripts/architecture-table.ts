// Writes the layer table of ARCHITECTURE.md from layers.json: node scripts/node24.mjs scripts/architecture-table.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../src/setup/project-folder.ts';
import { layerTable, readLayers } from './layer-rule.ts';

const BEGIN = '<!-- layers: generated from layers.json -->';
const END = '<!-- end of layers -->';

/** ARCHITECTURE.md as it should be. Throws when the markers are missing. */
export function architectureWithTable(text: string, table: string): string {
  const [before, rest] = text.split(BEGIN);
  const [, after] = rest?.split(END) ?? [];
  if (before === undefined || after === undefined)
    throw new Error(`ARCHITECTURE.md has lost its markers ${BEGIN} … ${END}.`);
  return `${before}${BEGIN}\n${table}\n${END}${after}`;
}

if (import.meta.main) {
  const file = join(projectFolder, 'ARCHITECTURE.md');
  writeFileSync(file, architectureWithTable(readFileSync(file, 'utf8'), layerTable(readLayers(projectFolder))));
}
