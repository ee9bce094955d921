import { jsonValue } from '../base/json.ts';

const LITERALS: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' };

/**
 * The value that a damaged JSON text can only mean: strings in single quotes, unquoted names, Python's literals, trailing commas, missing closing marks
 * (also before the mark that closes a tag or a fence) and text after the value are mended. Undefined when it stays unreadable, or when it breaks off
 * inside a string: nobody knows what was to follow. Never throws.
 */
export function repairJson(text: string): unknown {
  const start = text.search(/[{[]/);
  if (start === -1) return undefined;
  const mended = mendMarks(text.slice(start));
  return mended === null ? undefined : jsonValue(mended);
}

const TOKEN = /\s+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[-+]?\d[\w.+-]*|[A-Za-z_]\w*|<[/|]|```|./gsu;
/** Begins of what closes a call in a tag or a fence. */
const CLOSING_MARKS: readonly string[] = ['</', '<|', '```'];

function mendMarks(text: string): string | null {
  const open: string[] = [];
  let out = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '"' || token === "'") return null;
    // What was still open ends here. Any other "<" or "`" may be part of a value.
    if (CLOSING_MARKS.includes(token)) break;
    if (token === '{' || token === '[') open.push(token === '{' ? '}' : ']');
    if (token === '}' || token === ']') {
      if (open.pop() !== token) return null;
      out = withoutComma(out) + token;
      if (open.length === 0) return out;
      continue;
    }
    out += mendToken(token);
  }
  return withoutComma(out) + open.reverse().join('');
}

function mendToken(token: string): string {
  // A line break inside a string must be spelled.
  if (token.startsWith('"')) return token.replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  if (token.startsWith("'")) return JSON.stringify(token.slice(1, -1).replace(/\\'/g, "'"));
  if (/^[A-Za-z_]/.test(token)) {
    const literal = LITERALS[token] ?? token;
    return ['true', 'false', 'null'].includes(literal) ? literal : JSON.stringify(token);
  }
  return token;
}

function withoutComma(text: string): string {
  return text.replace(/,\s*$/, '');
}
