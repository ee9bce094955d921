import { contentHash } from '../base/content-hash.ts';
import { isRecord } from '../base/is-record.ts';
import { jsonValue } from '../base/json.ts';
import type { Task } from './task.ts';
import { unmatchedRow } from './unmatched-row.ts';
import type { Verdict, Verifier } from './verifier.ts';

const CODE_VERSION = 1;

/** One call: function name and arguments. */
interface FunctionCall {
  name: string;
  arguments: Record<string, unknown>;
}

/**
 * Scores 1 when the calls in the final answer are the expected ones, else 0. Rules of the Berkeley Function-Calling
 * Leaderboard (ShishirPatil/gorilla, ast_checker.py), from values alone:
 *
 * `task.answer` is a list of `{function: {parameter: [accepted values]}}`. Each expected call must be met by its own
 * call, in any order, with no call left over. A parameter that lists `""` may be left out; one that is not listed must
 * not be given. Strings are equal without regard to case, spaces and `, . / - _ * ^`, ' as "; numbers by value;
 * booleans and null only to themselves; lists in order; an accepted object holds accepted values per key. The answer is
 * JSON: a list of `{function: {parameter: value}}` or of `{name, arguments}`, or one such object.
 *
 * The empty list means that no call is right: then an answer that holds no call (`[]`, or text that is no JSON) scores
 * 1. No final answer at all scores 0 everywhere. `unscored` only when `task.answer` does not have this form.
 */
export function functionCallVerifier(): Verifier {
  return {
    version: contentHash({ kind: 'function-calls', code: CODE_VERSION }),
    verify: async (task, answer) => judge(task, answer),
  };
}

/** Why a gold cannot be compared with, null where it can. */
export function functionCallGoldProblem(answer: Task['answer']): string | null {
  return expectedCalls(answer) === null ? 'it is not a list of {function: {parameter: [accepted values]}}' : null;
}

function judge(task: Task, answer: string | null): Verdict {
  const expected = expectedCalls(task.answer);
  if (expected === null) {
    return {
      kind: 'unscored',
      why: `the answer of task ${task.id} is not a list of {function: {parameter: [accepted values]}}`,
    };
  }
  if (answer === null) return { kind: 'scored', score: 0, extracted: null, why: 'no final answer' };
  const calls = callsIn(answer);
  const extracted = calls.length === 0 ? null : JSON.stringify(calls.map((call) => ({ [call.name]: call.arguments })));
  const problem = mismatch(expected, calls);
  return { kind: 'scored', score: problem === null ? 1 : 0, extracted, why: problem ?? 'the expected calls' };
}

interface ExpectedCall {
  name: string;
  parameters: Record<string, unknown[]>;
}

function expectedCalls(answer: unknown): ExpectedCall[] | null {
  if (!Array.isArray(answer)) return null;
  const calls = answer.map((item): ExpectedCall | null => {
    if (!isRecord(item) || Object.keys(item).length !== 1) return null;
    const [name, parameters] = Object.entries(item)[0] as [string, unknown];
    if (!isRecord(parameters) || !Object.values(parameters).every(Array.isArray)) return null;
    return { name, parameters: parameters as Record<string, unknown[]> };
  });
  return calls.includes(null) ? null : (calls as ExpectedCall[]);
}

/**
 * Calls of a JSON text; text that is not JSON holds none. An item that is no call makes a call with an empty name,
 * which matches nothing.
 */
function callsIn(answer: string): FunctionCall[] {
  const value = jsonValue(answer);
  if (Array.isArray(value)) return value.map(callOf);
  return isRecord(value) ? [callOf(value)] : [];
}

function callOf(value: unknown): FunctionCall {
  if (isRecord(value)) {
    if (typeof value.name === 'string' && isRecord(value.arguments))
      return { name: value.name, arguments: value.arguments };
    const [entry, ...others] = Object.entries(value);
    if (entry !== undefined && others.length === 0 && isRecord(entry[1]))
      return { name: entry[0], arguments: entry[1] };
  }
  return { name: '', arguments: {} };
}

function mismatch(expected: readonly ExpectedCall[], calls: readonly FunctionCall[]): string | null {
  if (expected.length !== calls.length) return `${calls.length} calls, ${expected.length} expected`;
  const problems = expected.map((target) => calls.map((call) => callProblem(target, call)));
  if (unmatchedRow(expected.length, calls.length, (row, column) => problems[row]?.[column] === null) === -1)
    return null;
  const unmet = problems.findIndex((row) => row.every((problem) => problem !== null));
  return unmet === -1
    ? 'two expected calls need the same call'
    : `${(expected[unmet] as ExpectedCall).name}: ${problems[unmet]?.[0]}`;
}

function callProblem({ name, parameters }: ExpectedCall, call: FunctionCall): string | null {
  if (call.name !== name) return `called ${call.name || 'something that is no function call'}`;
  for (const [parameter, value] of Object.entries(call.arguments)) {
    if (!Object.hasOwn(parameters, parameter)) return `unexpected parameter ${parameter}`;
    const accepted = parameters[parameter] as unknown[];
    if (!accepted.some((candidate) => isAccepted(candidate, value))) return `wrong value of ${parameter}`;
  }
  const missing = Object.entries(parameters).find(
    ([parameter, accepted]) => !Object.hasOwn(call.arguments, parameter) && !accepted.includes(''),
  );
  return missing === undefined ? null : `missing parameter ${missing[0]}`;
}

function isAccepted(candidate: unknown, value: unknown): boolean {
  if (typeof candidate === 'string' && typeof value === 'string')
    return standardised(candidate) === standardised(value);
  if (Array.isArray(candidate) && Array.isArray(value)) {
    return candidate.length === value.length && candidate.every((item, index) => isAccepted(item, value[index]));
  }
  if (isRecord(candidate) && isRecord(value)) return isAcceptedObject(candidate, value);
  return candidate === value;
}

/** An accepted object lists accepted values per key; a key that accepts "" may be left out. */
function isAcceptedObject(candidate: Record<string, unknown>, value: Record<string, unknown>): boolean {
  const isKnown = Object.entries(value).every(([key, member]) => {
    if (!Object.hasOwn(candidate, key)) return false;
    const accepted = candidate[key];
    return (
      isAccepted(accepted, member) || (Array.isArray(accepted) && accepted.some((item) => isAccepted(item, member)))
    );
  });
  return (
    isKnown &&
    Object.entries(candidate).every(
      ([key, accepted]) => Object.hasOwn(value, key) || (Array.isArray(accepted) && accepted.includes('')),
    )
  );
}

function standardised(text: string): string {
  return text
    .replace(/[\s,./\-_*^]/g, '')
    .toLowerCase()
    .replaceAll("'", '"');
}
