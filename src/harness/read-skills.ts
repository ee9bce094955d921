import { parseDocument } from 'yaml';
import { z } from 'zod';
import { CoHarnessError, errorMessage } from '../base/errors.ts';
import { linearPatternProblem } from '../base/linear-pattern.ts';
import { frozenMap } from './deep-freeze.ts';

/** When a skill comes into the prompt. */
export const SKILL_LOADS = ['always', 'rule', 'call'] as const;

/** A folder in the Agent Skills format (agentskills.io). */
export interface HarnessSkill {
  /** Name of its folder. */
  name: string;
  /** From the front matter; says when it is of use. Empty where the file has none. */
  description: string;
  /** SKILL.md without front matter. */
  text: string;
  load: (typeof SKILL_LOADS)[number];
  /** For `rule`: a pattern (see base/linear-pattern.ts) of problems it is loaded for; else null. */
  when: string | null;
  /** Other files of its folder by their path in it. */
  files: ReadonlyMap<string, string>;
}

/** The part of the front matter that is read; other fields of the format stay as they are. */
const frontMatterSchema = z.object({
  description: z.string().default(''),
  metadata: z.object({ load: z.enum(SKILL_LOADS).default('always'), when: z.string().min(1).optional() }).prefault({}),
});

/**
 * Skills of φ from its files, in order of their names. `metadata.load` in the front matter says when one is loaded (default: always). Throws
 * CoHarnessError `invalid-harness` with file and field.
 */
export function readSkills(texts: ReadonlyMap<string, string>): HarnessSkill[] {
  return [...texts].flatMap(([path, text]) => {
    const name = /^skills\/([^/]+)\/SKILL\.md$/.exec(path)?.[1];
    return name === undefined ? [] : [readSkill(name, path, text, filesOf(texts, name))];
  });
}

function readSkill(name: string, path: string, text: string, files: ReadonlyMap<string, string>): HarnessSkill {
  const [, front, body = text] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(`${text}\n`) ?? [];
  const checked = frontMatterSchema.safeParse(frontMatter(path, front ?? ''));
  if (!checked.success) {
    const lines = checked.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
    throw invalid(path, `its front matter is not right:\n${lines.join('\n')}`);
  }
  const { description, metadata } = checked.data;
  const when = metadata.load === 'rule' ? (metadata.when ?? null) : null;
  if (metadata.load === 'rule' && when === null)
    throw invalid(path, 'metadata.load "rule" needs metadata.when, a pattern of problems.');
  const problem = when === null ? null : linearPatternProblem(when);
  if (problem !== null) throw invalid(path, `metadata.when is not a pattern: ${problem}.`);
  return { name, description, text: body.trim(), load: metadata.load, when, files: frozenMap(files) };
}

function frontMatter(path: string, text: string): unknown {
  const document = parseDocument(text);
  const [problem] = document.errors;
  if (problem !== undefined) throw invalid(path, `its front matter is not valid YAML: ${problem.message}`);
  try {
    return document.toJS() ?? {};
  } catch (error) {
    // An alias without its anchor shows only here.
    throw invalid(path, `its front matter cannot be read: ${errorMessage(error)}`);
  }
}

function filesOf(texts: ReadonlyMap<string, string>, name: string): ReadonlyMap<string, string> {
  const prefix = `skills/${name}/`;
  const beside = [...texts].filter(([path]) => path.startsWith(prefix) && path !== `${prefix}SKILL.md`);
  return new Map(beside.map(([path, text]) => [path.slice(prefix.length), text]));
}

function invalid(path: string, problem: string): CoHarnessError {
  return new CoHarnessError('invalid-harness', `${path}: ${problem}`, { details: { file: path } });
}
