import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refuseBadGolds } from '../refuse-bad-golds.ts';
import { findPublishedSet, PUBLISHED_SETS } from './published-set.ts';
import { readPublishedTasks } from './read-published-tasks.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'co-harness-data-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function read(name: string, content: string | object[], split?: string) {
  const file = join(folder, 'published.jsonl');
  const text = typeof content === 'string' ? content : content.map((row) => JSON.stringify(row)).join('\n');
  writeFileSync(file, text);
  return readPublishedTasks(file, findPublishedSet(name, split), 'here');
}

describe('findPublishedSet', () => {
  it('takes the first split where none is asked for', () => {
    expect(findPublishedSet('gsm8k')).toMatchObject({ name: 'gsm8k', split: 'train', rows: 7473 });
    expect(findPublishedSet('math', 'test')).toMatchObject({ split: 'test', rows: 5000 });
  });

  it('suggests the nearest of the known names', () => {
    const all = Object.keys(PUBLISHED_SETS).join(', ');
    expect(() => findPublishedSet('gms8k')).toThrow(`called "gms8k"; did you mean "gsm8k"? Known: ${all}`);
    expect(() => findPublishedSet('gsm8k', 'tset')).toThrow(/split of gsm8k called "tset"; did you mean "test"/);
    expect(() => findPublishedSet('toString')).toThrow(expect.objectContaining({ code: 'unknown-data-set' }));
  });

  it('names an address, a licence and a month of publication for every set', () => {
    for (const set of Object.values(PUBLISHED_SETS)) {
      expect(set.licence).not.toBe('');
      expect(set.publishedOn).toMatch(/^20\d\d-\d\d$/);
      for (const { url, rows } of Object.values(set.splits)) {
        expect(new URL(url).protocol).toBe('https:');
        expect(rows).toBeGreaterThan(0);
      }
    }
  });
});

describe('readPublishedTasks', () => {
  it('takes the answer of GSM8K from behind the #### and keeps the worked solution', async () => {
    const answer = 'Ann has 3*400 = <<3*400=1200>>1200 stamps.\n#### 1,200';
    expect(await read('gsm8k', [{ question: 'How many stamps has Ann?', answer }])).toEqual([
      {
        id: 'gsm8k-train-0',
        problem: 'How many stamps has Ann?',
        answer: '1200',
        solution: 'Ann has 3*400 = <<3*400=1200>>1200 stamps.',
        source: 'here',
        publishedOn: '2021-10',
      },
    ]);
  });

  it('joins both parts of a SVAMP problem from one JSON list', async () => {
    const row = {
      ID: 'x-1',
      Body: 'Tom has 5 hats.',
      Question: 'How many?',
      Equation: '( 5.0 )',
      Answer: 5.0,
      Type: 'Sum',
    };
    expect(await read('svamp', JSON.stringify([row]))).toMatchObject([
      { id: 'svamp-1', problem: 'Tom has 5 hats. How many?', answer: '5', type: 'Sum' },
    ]);
  });

  it('takes the answer of MATH from the last box of the solution, unless the copy says it', async () => {
    const solution = 'First $\\boxed{1}$, then $\\boxed{\\frac{1}{2}}$.';
    const rows = [
      { problem: 'A?', solution, level: 'Level 3', type: 'Algebra' },
      { problem: 'B?', solution, answer: '0.5', level: 2, subject: 'Geometry' },
    ];
    expect(await read('math', rows, 'test')).toMatchObject([
      { id: 'math-test-0', answer: '\\frac{1}{2}', level: 'Level 3', type: 'Algebra' },
      { id: 'math-test-1', answer: '0.5', level: '2', type: 'Geometry' },
    ]);
  });

  it.each([
    ['033', '33'],
    [204, '204'],
    ['336^\\circ', '336'],
    ['$\\boxed{540}$', '540'],
    ['\\boxed{0}', '0'],
  ])('reads the AIME answer %j as %s', async (answer, expected) => {
    expect(await read('aime-2024', [{ id: 60, problem: 'P?', answer }])).toMatchObject([
      { id: 'aime-2024-1', answer: expected, publishedOn: '2024-02' },
    ]);
  });

  it('takes an AIME answer from the solution of copies that have no other', async () => {
    expect(await read('aime-2024', [{ problem: 'P?', solution: '\\boxed{25}' }])).toMatchObject([{ answer: '25' }]);
  });

  it('keeps LaTeX answers of HMMT, from JSON Lines or a page of the dataset viewer', async () => {
    const row = { problem_idx: 1, problem: 'P?', answer: '$1-\\frac{2}{\\pi}$' };
    const tasks = await read('hmmt-feb-2025', [row]);
    expect(tasks).toMatchObject([{ id: 'hmmt-feb-2025-1', answer: '1-\\frac{2}{\\pi}' }]);
    const page = { features: [], rows: [{ row_idx: 0, row, truncated_cells: [] }], num_rows_total: 1 };
    expect(await read('hmmt-feb-2025', JSON.stringify(page))).toEqual(tasks);
  });

  it('leaves id, answer and source of rows that are tasks already', async () => {
    const row = { id: 'mine', problem: 'P?', answer: '1,200', source: 'there', note: 'kept' };
    expect(await read('gsm8k', [row])).toEqual([{ ...row, publishedOn: '2021-10' }]);
  });

  it.each([
    ['gsm8k', { question: 'Q?', answer: 'no end' }, /published\.jsonl:2 .*\n {2}answer: expected a worked solution/],
    ['gsm8k', { question: 7, answer: '#### 1' }, /published\.jsonl:2 .*\n {2}question: /],
    [
      'math',
      { problem: 'P?', solution: 'no box' },
      /published\.jsonl:2 .*\n {2}answer: expected an answer, or a solution/,
    ],
    [
      'aime-2025',
      { problem: 'P?', answer: '1000' },
      /published\.jsonl:2 .*\n {2}answer: expected a whole number from 0/,
    ],
    ['aime-2025', { problem: 'P?' }, /published\.jsonl:2 .*\n {2}answer is missing/],
    ['hmmt-feb-2025', { answer: '1' }, /published\.jsonl:2 .*\n {2}problem is missing/],
  ])('names file, line and field of a malformed row of %s', async (name, row, message) => {
    const good = { problem: 'P?', answer: '1' };
    await expect(read(name, [good, row])).rejects.toThrow(message);
  });

  it('names the row of a list, and the line that is no JSON', async () => {
    await expect(read('svamp', '[{"Body": "B.", "Question": "Q?", "Answer": "5"}]')).rejects.toThrow(
      /published\.jsonl \(row 1\) .*Answer: /s,
    );
    await expect(read('gsm8k', '{"problem": "P?", "answer": "1"}\n{"problem": ')).rejects.toThrow(
      /published\.jsonl:2 is not/,
    );
  });

  it.each([
    ['PAR1\u0000\u0001', 'a Parquet file'],
    ['<!DOCTYPE html><html>', 'a web page'],
    ['version https://git-lfs.github.com/spec/v1\noid', 'a pointer to a file in Git LFS'],
  ])('says what a file is that is no JSON: %j', async (content, form) => {
    await expect(read('aime-2024', content)).rejects.toMatchObject({
      code: 'invalid-data-form',
      message: expect.stringContaining(form),
    });
  });

  it('refuses a file without a row', async () => {
    await expect(read('aime-2024', '\n')).rejects.toMatchObject({ code: 'no-tasks' });
  });
});

const SHARED = '../shared/data';

describe.skipIf(!existsSync(SHARED))(`readPublishedTasks on local copies (needs ${SHARED})`, () => {
  it.each([
    ['gsm8k', 'train', 'gsm8k/train.jsonl'],
    ['math', 'test', 'math-test/data.jsonl'],
    ['hmmt-feb-2025', 'test', 'hmmt-feb-2024/data.jsonl'],
  ])('reads all rows of %s (%s) from %s, each with an answer that the verifier can use', async (name, split, file) => {
    const found = findPublishedSet(name, split);
    const tasks = await readPublishedTasks(join(SHARED, file), found, 'copy');
    expect(tasks).toHaveLength(found.rows);
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(found.rows);
    refuseBadGolds({ kind: 'answer', extraction: 'any' }, tasks, { file });
  });
});
