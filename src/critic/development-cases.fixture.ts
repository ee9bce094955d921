import { readFileSync } from 'node:fs';
import { plainCaseSchema, readPlainCase } from './cases/read-plain-case.ts';

/** Cases written for developing the rules, with the cause that was put into them. Not a measurement: rules were written against them. */
export function developmentCases() {
  const text = readFileSync(new URL('./development-cases.jsonl', import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const { want, ...rest } = JSON.parse(line) as { want: string };
      return { want, case: readPlainCase(plainCaseSchema.parse(rest), 'case') };
    });
}
