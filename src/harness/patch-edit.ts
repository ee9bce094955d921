/**
 * One local edit of φ. `path` is `file` (whole text) or `file#/json/pointer` (a value in a YAML file). `old` is what must stand there
 * now, `value` what will: undefined `old` = the place must be empty (add), undefined `value` = remove it. Whole-file
 * values are strings; pointer values are JSON.
 */
export interface PatchEdit {
  path: string;
  old?: unknown;
  value?: unknown;
}
