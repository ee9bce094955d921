import { CoHarnessError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { HarnessMiddleware } from './harness.ts';
import { parseHarnessFile } from './harness-file.ts';
import { MIDDLEWARE_OPTIONS, middlewareSchema } from './middleware-kinds.ts';

const FILE = /^middleware\/((\d{2}-[^/]+)\.(yaml|js))$/;

/**
 * Middleware of φ from its files, in file order. A code file that no YAML file names as its entry is a middleware of kind `js` with default options.
 * Throws CoHarnessError `invalid-harness` with file and field.
 */
export function readMiddleware(texts: ReadonlyMap<string, string>): HarnessMiddleware[] {
  const files = [...texts].flatMap(([path, text]) => {
    const [, file = '', id = '', extension] = FILE.exec(path) ?? [];
    return id === '' ? [] : [{ path, file, id, extension, text }];
  });
  const codes = new Map(files.filter(({ extension }) => extension === 'js').map(({ file, text }) => [file, text]));
  const described = files
    .filter(({ extension }) => extension === 'yaml')
    .map(({ path, id, text }) => withCode(path, id, parseHarnessFile(middlewareSchema, path, text), codes));
  const named = new Set(described.map((middleware) => (middleware.kind === 'js' ? entryOf(middleware) : '')));
  const bare = files
    .filter(({ file, extension }) => extension === 'js' && !named.has(file))
    .map(
      ({ id, text }): HarnessMiddleware => ({ id, kind: 'js', options: MIDDLEWARE_OPTIONS.js.parse({}), code: text }),
    );
  return [...described, ...bare].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function withCode(
  path: string,
  id: string,
  settings: ReturnType<typeof middlewareSchema.parse>,
  codes: ReadonlyMap<string, string>,
): HarnessMiddleware {
  if (settings.kind !== 'js') return { id, ...settings, code: null };
  const entry = entryOf({ id, options: settings.options });
  const code = codes.get(entry);
  if (code !== undefined) return { id, ...settings, code };
  const near = nearest(entry, [...codes.keys()]);
  throw new CoHarnessError(
    'invalid-harness',
    `${path} options.entry: there is no code file middleware/${entry}.${near === undefined ? '' : ` Did you mean "${near}"?`} ` +
      'Write it, or name another file.',
    { details: { file: path, field: 'options.entry', known: [...codes.keys()] } },
  );
}

function entryOf({ id, options }: { id: string; options: { entry?: string | undefined } }): string {
  return options.entry ?? `${id}.js`;
}
