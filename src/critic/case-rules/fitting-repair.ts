import { canonicalJson } from '../../base/content-hash.ts';
import { isRecord } from '../../base/is-record.ts';
import { pointerNames, pointerStep, valueAt } from '../../base/json-pointer.ts';
import type { Repair } from './case-rule.ts';

/** Members of an object in which its words stand. */
const TEXT_MEMBERS = ['text', 'content', 'body', 'instructions', 'routine', 'prompt', 'description'];
/** Members that only say which entry of a list an entry is. */
const NAME_MEMBERS = new Set(['name', 'id', 'kind', 'type', 'hook', 'use']);

/** Whether a repair can be made in a harness as it is given: `old` is what stands at `path`, and where nothing does, what is around it can take it. */
export function fits({ path, old }: Repair, harness: unknown): boolean {
  const standing = valueAt(harness, path) ?? null;
  if (canonicalJson(standing) !== canonicalJson(old ?? null)) return false;
  return standing !== null || path === '' || canTake(harness, path);
}

/** The repairs where every one of them fits, else null. */
export function onlyFitting(repairs: readonly Repair[], harness: unknown): Repair[] | null {
  return repairs.length > 0 && repairs.every((repair) => fits(repair, harness)) ? [...repairs] : null;
}

/**
 * A text put at a place without loss of what stands there: behind a text, into a list of texts, as the words or the note of an object. Where the
 * place is out of reach, the nearest place around it takes the text. Null where a text has no business: at a number, in a list of objects.
 */
export function addedText(harness: unknown, path: string, text: string, joint = '\n'): Repair[] | null {
  const place = nearestPlace(harness, path);
  const standing = valueAt(harness, place) ?? null;
  if (standing === null) return [{ path: place, old: null, new: text }];
  if (typeof standing === 'string')
    return [{ path: place, old: standing, new: standing.trim() === '' ? text : `${standing}${joint}${text}` }];
  if (Array.isArray(standing))
    return standing.every((item) => typeof item === 'string') ? [{ path: `${place}/-`, old: null, new: text }] : null;
  if (!isRecord(standing)) return null;
  const member = TEXT_MEMBERS.find((name) => typeof standing[name] === 'string') ?? 'note';
  return Object.hasOwn(standing, member) && typeof standing[member] !== 'string'
    ? null
    : addedText(harness, `${place}${pointerStep(member)}`, text, joint);
}

/** Taking the name of a list's entry away leaves an entry without a name: the entry itself is what has to go. */
export function wholeEntry(repair: Repair, harness: unknown): Repair {
  const list = parentOf(parentOf(repair.path));
  const isName = NAME_MEMBERS.has(pointerNames(repair.path).at(-1) ?? '');
  if (repair.new !== null || !isName || !Array.isArray(valueAt(harness, list))) return repair;
  const entry = parentOf(repair.path);
  return { path: entry, old: valueAt(harness, entry) ?? null, new: null };
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Whether what is around a place that holds nothing can take a value: an object, the end of a list, or a harness that nobody gave. */
function canTake(harness: unknown, path: string): boolean {
  if (harness === null || harness === undefined) return true;
  const around = valueAt(harness, parentOf(path));
  const name = pointerNames(path).at(-1) ?? '';
  if (Array.isArray(around)) return name === '-' || (/^\d+$/.test(name) && Number(name) >= around.length);
  return isRecord(around);
}

function nearestPlace(harness: unknown, path: string): string {
  const isThere = path === '' || (valueAt(harness, path) ?? null) !== null || canTake(harness, path);
  return isThere ? path : nearestPlace(harness, parentOf(path));
}
