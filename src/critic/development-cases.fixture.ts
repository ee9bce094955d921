import { readFileSync } from 'node:fs';
import { plainCaseSchema, readPlainCase } from './cases/read-plain-case.ts';

const FILES = ['./development-cases.jsonl', './varied-cases.jsonl'];

/** Cases written for developing the rules, with the cause that was put into them. Not a measurement: rules were written against them. */
export function developmentCases() {
  return FILES.flatMap(casesOf);
}

function casesOf(file: string) {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const { want, components, ...rest } = JSON.parse(line) as { want: string; components?: (string | null)[] };
      return { want, components, case: readPlainCase(plainCaseSchema.parse(rest), 'case') };
    });
}
