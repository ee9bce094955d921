import { pointerStep } from '../../base/json-pointer.ts';
import { SKILL_KEYS } from './facts-of-json.ts';

/** JSON pointer of a place for routines that holds none; null where a free harness has no such place. */
export function emptySkillPlace(harness: unknown, path = ''): string | null {
  if (typeof harness !== 'object' || harness === null) return null;
  for (const [key, value] of Object.entries(harness)) {
    const place = `${path}${pointerStep(key)}`;
    const isEmpty = value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
    if (SKILL_KEYS.test(key) && isEmpty) return place;
    const inner = Array.isArray(value) ? null : emptySkillPlace(value, place);
    if (inner !== null) return inner;
  }
  return null;
}
