// `npm run check`: types, format and lint (cycles included), layers, exports, the generated table. Every checker says how many files it
// saw and fails when it saw too few: a checker that looks at nothing is always green.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../src/base/run-command.ts';
import { projectFolder } from '../src/setup/project-folder.ts';
import { architectureWithTable } from './architecture-table.ts';
import { layerTable, layerViolations, readLayers, readSourceFiles, starExports } from './layer-rule.ts';

const LEAST_FILES = 20;

interface CheckOutcome {
  filesSeen: number;
  /** What is wrong, ready to print; empty = fine. */
  problems: string[];
}

const modulesFolder = join(projectFolder, 'node_modules');
const files = readSourceFiles(projectFolder);
const layers = readLayers(projectFolder);

async function runTool(script: string, args: string[]): Promise<{ code: number; output: string }> {
  const { code, stdout, stderr } = await runCommand(process.execPath, [join(modulesFolder, script), ...args], {
    cwd: projectFolder,
  });
  return { code, output: `${stdout}${stderr}` };
}

async function checkTypes(): Promise<CheckOutcome> {
  const { output: listed } = await runTool('typescript/bin/tsc', ['-p', '.', '--listFilesOnly']);
  const filesSeen = listed.split('\n').filter((line) => line.endsWith('.ts') && !line.includes('node_modules')).length;
  const { code, output } = await runTool('typescript/bin/tsc', ['-p', '.', '--pretty', 'false']);
  return { filesSeen, problems: code === 0 ? [] : [output.trim()] };
}

async function checkFormatAndLint(): Promise<CheckOutcome> {
  const { code, output } = await runTool('@biomejs/biome/bin/biome', [
    'check',
    '--colors=off',
    '--error-on-warnings',
    '--max-diagnostics=50',
    '.',
  ]);
  const filesSeen = Number(/Checked (\d+) files?/.exec(output)?.[1] ?? 0);
  return { filesSeen, problems: code === 0 ? [] : [output.trim(), 'Format with: npm run format'] };
}

function checkEntryPoints(): CheckOutcome {
  const { exports } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as {
    exports: Record<string, string>;
  };
  const missing = Object.values(exports).filter((path) => !existsSync(join(projectFolder, path)));
  return {
    filesSeen: files.length,
    problems: [...starExports(files), ...missing.map((path) => `package.json exports ${path}, which does not exist`)],
  };
}

function checkArchitectureTable(): CheckOutcome {
  const text = readFileSync(join(projectFolder, 'ARCHITECTURE.md'), 'utf8');
  const current = architectureWithTable(text, layerTable(layers)) === text;
  const remedy =
    'The table of ARCHITECTURE.md is not that of layers.json. Run: node scripts/node24.mjs scripts/architecture-table.ts';
  return { filesSeen: files.length, problems: current ? [] : [remedy] };
}

const CHECKS: readonly [title: string, check: () => CheckOutcome | Promise<CheckOutcome>][] = [
  ['types', checkTypes],
  ['format, lint and cycles', checkFormatAndLint],
  ['layers', () => ({ filesSeen: files.length, problems: layerViolations(layers, files) })],
  ['exports', checkEntryPoints],
  ['architecture table', checkArchitectureTable],
];

for (const [title, check] of CHECKS) {
  const { filesSeen, problems } = await check();
  if (filesSeen < LEAST_FILES)
    problems.push(
      `saw only ${filesSeen} files, expected at least ${LEAST_FILES}: the checker looks in the wrong place`,
    );
  process.stdout.write(`${problems.length === 0 ? 'ok    ' : 'FAILED'} ${title} (${filesSeen} files)\n`);
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
}
