/**
 * Checks per second of the answer checker on one core, integers and LaTeX apart. `npx node bench/answer-checks.ts [--json]`.
 * Wanted: ≥ 20,000/s for integers, ≥ 2,000/s for LaTeX. CPU seconds are counted, so that a busy machine does not change the result much.
 */
import { parseArgs } from 'node:util';
import { checkAnswer } from '../src/task/answer-equivalence/check-answer.ts';

const { values: options } = parseArgs({ options: { json: { type: 'boolean', default: false } } });

const integers: readonly (readonly [string, string])[] = Array.from(
  { length: 1_000 },
  (_, index) =>
    [
      [`${index}`, `${index}`],
      [`The answer is ${index}.`, `${index + 1}`],
      [`First 7 and then 8, so \\boxed{${index},000}`, `${index}000`],
      [`${index}.0`, `${index}`],
    ][index % 4] as [string, string],
);

const latex: readonly (readonly [prediction: string, gold: string])[] = [
  ['\\boxed{\\dfrac{9}{7}}', '\\frac97'],
  ['x^4+5x^2-12', 'x^4 - 12 + 5x^2'],
  [
    '\\left(-\\infty, -\\tfrac12\\right)\\cup\\left(-\\tfrac12,\\infty\\right)',
    '(-\\infty,-\\frac 12)\\cup (-\\frac 12,\\infty)',
  ],
  ['The answer is $\\frac{1}{\\sqrt{2}}$.', '\\frac{\\sqrt{2}}{2}'],
  [
    '\\begin{pmatrix} 4033 & -8064 \\\\ 2016 & -4031 \\end{pmatrix}',
    '\\begin{pmatrix} 4033 & -8064 \\\\ 2016 & -4030 \\end{pmatrix}',
  ],
  ['y = -x^2/2 + 4x - 6', 'y = -\\frac{1}{2} x^2 + 4x - 6'],
  ['-4,-2,-1,1,2,4', '4,2,1,-1,-2,-4'],
  ['440 cm^2', '440\\text{ cm}^2'],
  ['\\frac{7}{6}\\pi - \\frac{\\sqrt{3}}{3}', '\\frac{7}{6}\\pi - \\frac{\\sqrt{3}}{2}'],
  ['16x^4-7x^2+1+2x-x', '(-4x^2+x+1)(4x^2+x+1)'],
  ['6+9i', '9i + 6'],
  ['7(x-3)(x+3)', '7(x+3) (x-3)'],
  ['(15,-11)', '\\left(15, -11\\right)'],
  ['3 \\pm 2 \\sqrt{2}', '3+2\\sqrt2, 3-2\\sqrt2'],
  ['1101_4', '1101_{4}'],
  ['\\text{Evelyn}', 'Evelyn'],
  ['1.7320508', '\\sqrt3'],
  ['4x-2y+6=0', 'y=2x+3'],
];

function checksPerSecond(pairs: readonly (readonly [string, string])[], rounds: number): number {
  for (let round = 0; round < rounds / 4; round++)
    for (const [prediction, gold] of pairs) checkAnswer({ prediction, gold });
  const start = process.cpuUsage();
  for (let round = 0; round < rounds; round++)
    for (const [prediction, gold] of pairs) checkAnswer({ prediction, gold });
  const { user, system } = process.cpuUsage(start);
  return Math.round((rounds * pairs.length) / ((user + system) / 1e6));
}

const report = { integers: checksPerSecond(integers, 60), latex: checksPerSecond(latex, 400) };
process.stdout.write(
  options.json
    ? `${JSON.stringify(report)}\n`
    : `integers ${report.integers} checks per CPU second (wanted 20000)\nLaTeX    ${report.latex} checks per CPU second (wanted 2000)\n`,
);
if (report.integers < 20_000 || report.latex < 2_000) process.exitCode = 1;
