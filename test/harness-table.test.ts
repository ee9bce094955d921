import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { COMPONENT_KINDS } from '../src/harness/harness.ts';
import { FIELD_CLASSES } from '../src/lab/faults/fault-kind.ts';
import { PATCH_OPERATORS } from '../src/patch/patch-operators.ts';

const ROOT = join(import.meta.dirname, '..');

/** Cells of the rows of the first table in docs/harness.md. */
function rows(): string[][] {
  const text = readFileSync(join(ROOT, 'docs/harness.md'), 'utf8');
  const table = text.slice(text.indexOf('| component |'), text.indexOf('Labels and components'));
  return table
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const named = (cell: string | undefined) => [...(cell ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');

it('the table of components names every kind of component, and only operators, faults and tests that exist', () => {
  const found = rows();
  expect(new Set(found.map(([component = '']) => component.split(':')[0]))).toEqual(new Set(COMPONENT_KINDS));
  const operators = PATCH_OPERATORS.map(({ name }) => name);
  expect(found.flatMap((cells) => named(cells[2])).filter((name) => !operators.includes(name))).toEqual([]);
  expect(found.flatMap((cells) => named(cells[4])).filter((name) => !Object.hasOwn(FIELD_CLASSES, name))).toEqual([]);
  const tests = found.map((cells) => named(cells[5]));
  expect(tests.every((names) => names.length > 0)).toBe(true);
  const paths = tests.flat().map((name) => (name.startsWith('test/') ? name : `src/${name}`));
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it('every class of fields that faults are made of stands in the table', () => {
  const shown = rows().flatMap((cells) => named(cells[4]));
  expect(Object.keys(FIELD_CLASSES).filter((name) => !shown.includes(name))).toEqual([]);
});
