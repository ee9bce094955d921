import { CoHarnessError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import {
  contestRow,
  integerContestRow,
  type PublishedRow,
  schoolRow,
  solvedRow,
  worksheetRow,
} from './published-row.ts';

export interface PublishedSplit {
  /** Public address of one JSON or JSON Lines file; with a commit wherever we know one. */
  url: string;
  /** Rows that this file is known to have. */
  rows: number;
}

/** A data set that somebody published, as `co-harness data get` knows it. */
export interface PublishedSet {
  title: string;
  /** What its publisher says, and whose the texts are where that is somebody else. */
  licence: string;
  /** Month in which the last of its problems was public, YYYY-MM. */
  publishedOn: string;
  /** By name of the split; the first is the one taken when none is asked for. */
  splits: Readonly<Record<string, PublishedSplit>>;
  /** One row of the published form; throws what checkSchema throws. */
  readRow: PublishedRow;
  /** Told whenever the set is fetched. */
  caution?: string;
}

const GITHUB = 'https://raw.githubusercontent.com';
const HUB = 'https://huggingface.co/datasets';
const GSM8K = `${GITHUB}/openai/grade-school-math/3101c7d5072418e28b9008a6636bde82a006892c/grade_school_math/data`;
const QWEN_EVALUATION = `${GITHUB}/QwenLM/Qwen2.5-Math/main/evaluation/data`;

/** By name. */
export const PUBLISHED_SETS: Readonly<Record<string, PublishedSet>> = {
  'aime-2024': {
    title: 'AIME I and II of 2024',
    licence: 'none stated by the repository; the problems belong to the Mathematical Association of America',
    publishedOn: '2024-02',
    splits: { test: { url: `${QWEN_EVALUATION}/aime24/test.jsonl`, rows: 30 } },
    readRow: integerContestRow,
    caution:
      'Collections of AIME problems up to 2024 are widely used for training. Weights released after February 2024 may have seen these with their answers: ' +
      'report AIME 2024 beside a newer contest, never alone.',
  },
  'aime-2025': {
    title: 'AIME I and II of 2025',
    licence: 'Apache-2.0 (the collection); the problems belong to the Mathematical Association of America',
    publishedOn: '2025-02',
    splits: {
      test: { url: `${HUB}/math-ai/aime25/resolve/563bb8404243c5f09de6ec262f2db674fe5bce9b/test.jsonl`, rows: 30 },
    },
    readRow: integerContestRow,
  },
  'hmmt-feb-2025': {
    title: 'HMMT February 2025',
    licence:
      'MIT as stated by this copy, CC BY-NC-SA 4.0 as stated by MathArena, who collected the problems; these belong to HMMT: non-commercial evaluation',
    publishedOn: '2025-02',
    splits: {
      test: {
        url: `${HUB}/PraMamba/HMMT-202502/resolve/9de5288c84abeb090b162f75e43a96ad971c7b26/hmmt_feb_2025.jsonl`,
        rows: 30,
      },
    },
    readRow: contestRow,
  },
  gsm8k: {
    title: 'GSM8K, grade-school word problems',
    licence: 'MIT',
    publishedOn: '2021-10',
    splits: {
      train: { url: `${GSM8K}/train.jsonl`, rows: 7473 },
      test: { url: `${GSM8K}/test.jsonl`, rows: 1319 },
    },
    readRow: worksheetRow,
  },
  svamp: {
    title: 'SVAMP, varied one-step word problems',
    licence: 'MIT',
    publishedOn: '2021-03',
    splits: {
      test: { url: `${GITHUB}/arkilpatel/SVAMP/689d7ccac74b9983a2ac7cc3b264f441b99e7c53/SVAMP.json`, rows: 1000 },
    },
    readRow: schoolRow,
  },
  math: {
    title: 'MATH, competition problems with worked solutions',
    licence: 'MIT; the problems belong to the contests they come from',
    publishedOn: '2021-03',
    splits: {
      train: { url: `${QWEN_EVALUATION}/math/train.jsonl`, rows: 7500 },
      test: {
        url: `${GITHUB}/microsoft/ToRA/213c1c995038c73fab10343814df7a42f990f026/src/data/math/test.jsonl`,
        rows: 5000,
      },
    },
    readRow: solvedRow,
  },
};

export interface FoundSplit extends PublishedSplit {
  name: string;
  set: PublishedSet;
  split: string;
}

/**
 * A set by name and one of its splits, the first where none is given. Throws CoHarnessError `unknown-data-set` or `unknown-data-split`, both with what
 * is known and the nearest name.
 */
export function findPublishedSet(name: string, split?: string): FoundSplit {
  const set = Object.hasOwn(PUBLISHED_SETS, name) ? PUBLISHED_SETS[name] : undefined;
  if (set === undefined) throw unknown('unknown-data-set', 'data set', name, Object.keys(PUBLISHED_SETS));
  const splits = Object.keys(set.splits);
  const wanted = split ?? (splits[0] as string);
  const found = Object.hasOwn(set.splits, wanted) ? set.splits[wanted] : undefined;
  if (found === undefined) throw unknown('unknown-data-split', `split of ${name}`, wanted, splits);
  return { ...found, name, set, split: wanted };
}

function unknown(code: string, what: string, given: string, known: readonly string[]): CoHarnessError {
  const near = nearest(given, known);
  return new CoHarnessError(
    code,
    `There is no ${what} called "${given}"${near === undefined ? '.' : `; did you mean "${near}"?`} Known: ${known.join(', ')}.`,
    { details: { given, known } },
  );
}
