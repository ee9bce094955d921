import type { z } from 'zod';
import { CoHarnessError } from '../../base/errors.ts';
import { isRecord } from '../../base/is-record.ts';
import { jsonValue, readTextFile } from '../../base/json.ts';
import type { Trajectory } from '../../trajectory/trajectory.ts';
import { trajectorySchema } from '../../trajectory/trajectory-schema.ts';
import type { Case } from './case.ts';
import { atifSchema, readAtif } from './read-atif.ts';
import { chatSchema, readChat } from './read-chat.ts';
import { plainCaseSchema, readPlainCase } from './read-plain-case.ts';

/** What a file holds, one entry a case: our own rollouts stay rollouts, everything else becomes a {@link Case}. */
export type Subject = { kind: 'case'; case: Case } | { kind: 'rollout'; id: string; trajectory: Trajectory };

const KNOWN_SHAPES = [
  'our own rollouts: JSON Lines of `eval --out` ({id, …, trajectory}) or trajectories {version, identity, events, outcome, …}',
  'ATIF: {schema_version: "ATIF-v1.…", agent, steps: [{step_id, source, message, …}]}',
  'OpenAI chat: a list of messages {role, content, tool_calls}, or {messages: […], tools?}',
  'plain cases: {id, problem, trace: {runs: [{task, harness, steps: [{role, content}], outcome}]}}, alone, in a list, or one a line',
] as const;

/**
 * Everything a file holds, in file order. Throws CoHarnessError `file-missing`, `empty-file`, and `unknown-shape` (also for JSON that
 * is broken) with the place and what was expected.
 */
export async function readSubjects(file: string): Promise<Subject[]> {
  const text = await readTextFile(file, 'a JSON or JSON Lines file of trajectories');
  const values = readValues(text, file);
  if (values.length === 0)
    throw new CoHarnessError('empty-file', `${file} holds no case. Expected ${expected()}`, { details: { file } });
  return values.map(({ value, place }, index) => subjectOf(value, place, `case-${index + 1}`));
}

interface PlacedValue {
  value: unknown;
  place: string;
}

/** One JSON value, or one a line; a list counts as its items unless it is a conversation. */
function readValues(text: string, file: string): PlacedValue[] {
  const whole = jsonValue(text);
  if (whole !== undefined) return spread(whole, file);
  const lines = text
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [{ line, place: `${file}:${index + 1}` }]));
  return lines.flatMap(({ line, place }) => {
    const value = jsonValue(line);
    if (value === undefined)
      throw new CoHarnessError('unknown-shape', `${place} is not valid JSON. Expected ${expected()}`, {
        details: { file, place },
      });
    return spread(value, place);
  });
}

function spread(value: unknown, place: string): PlacedValue[] {
  if (isRecord(value) && Array.isArray(value.cases)) return spread(value.cases, place);
  if (!Array.isArray(value) || isConversation(value)) return [{ value, place }];
  return value.map((item, index) => ({ value: item, place: `${place}, item ${index}` }));
}

function isConversation(value: readonly unknown[]): boolean {
  return value.length > 0 && value.every((item) => isRecord(item) && typeof item.role === 'string');
}

function subjectOf(value: unknown, place: string, fallbackId: string): Subject {
  if (isRecord(value) && isRecord(value.trajectory) && Array.isArray(value.trajectory.events))
    return rolloutOf(value.trajectory, place, idOf(value, fallbackId));
  if (isRecord(value) && Array.isArray(value.events) && isRecord(value.identity))
    return rolloutOf(value, place, fallbackId);
  if (isRecord(value) && typeof value.schema_version === 'string' && /^ATIF/i.test(value.schema_version))
    return asCase(atifSchema, readAtif, value, place, fallbackId);
  if (isRecord(value) && (isRecord(value.trace) || Array.isArray(value.runs)))
    return asCase(plainCaseSchema, readPlainCase, value, place, fallbackId);
  if ((Array.isArray(value) && isConversation(value)) || (isRecord(value) && Array.isArray(value.messages)))
    return asCase(chatSchema, readChat, Array.isArray(value) ? { messages: value } : value, place, fallbackId);
  const keys = isRecord(value)
    ? `an object with the fields ${Object.keys(value).slice(0, 8).join(', ') || '(none)'}`
    : Array.isArray(value)
      ? 'a list'
      : typeof value;
  throw new CoHarnessError(
    'unknown-shape',
    `${place} is ${keys}, which is no form of a trajectory known here. Expected ${expected()}`,
    { details: { place } },
  );
}

function rolloutOf(value: Record<string, unknown>, place: string, id: string): Subject {
  const { hash: _hash, ...rest } = value;
  const trajectory = checked(trajectorySchema, rest, place) as Trajectory;
  return { kind: 'rollout', id: id.startsWith('case-') ? trajectory.taskId : id, trajectory };
}

function asCase<T extends z.ZodType>(
  schema: T,
  read: (value: z.output<T>, id: string) => Case,
  value: unknown,
  place: string,
  fallbackId: string,
): Subject {
  return { kind: 'case', case: read(checked(schema, value, place), fallbackId) };
}

function checked<T extends z.ZodType>(schema: T, value: unknown, place: string): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues
    .slice(0, 5)
    .map((issue) => `  ${issue.path.map(String).join('.') || '(the whole value)'}: ${issue.message}`);
  throw new CoHarnessError(
    'unknown-shape',
    `${place} does not have the expected form:\n${issues.join('\n')}\nExpected ${expected()}`,
    { details: { place } },
  );
}

function expected(): string {
  return `one of:\n${KNOWN_SHAPES.map((shape) => `  - ${shape}`).join('\n')}`;
}

function idOf(value: Record<string, unknown>, fallback: string): string {
  return typeof value.id === 'string' || typeof value.id === 'number' ? String(value.id) : fallback;
}
