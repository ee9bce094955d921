/**
 * Guest code that runs first in each world: `print`, `console` and a function that shows values as text. It keeps what it needs of the built-in
 * objects, because later code may replace them. No function of the host is ever visible in the world.
 *
 * The whole is an expression; its value has `show(value, most)`, `describe(error, most)` and `takeOutput(most)`.
 */
export const QUICKJS_PRELUDE = `(() => {
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const slice = uncurry(String.prototype.slice);
  const toText = String;
  const { stringify, parse } = JSON;
  const { isView } = ArrayBuffer;
  const listOf = Array.from;
  const ErrorKind = Error, MapKind = Map, SetKind = Set, ArrayBufferKind = ArrayBuffer;
  const mapEntries = uncurry(Map.prototype.entries), setValues = uncurry(Set.prototype.values);
  let output = '', limit = 20000, dropped = 0;

  const plain = (key, value) => {
    if (typeof value === 'bigint' || typeof value === 'symbol') return toText(value);
    if (typeof value === 'function') return '[function ' + value.name + ']';
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof MapKind) return listOf(mapEntries(value));
    if (value instanceof SetKind) return listOf(setValues(value));
    if (value instanceof ErrorKind) return value.name + ': ' + value.message;
    return isView(value) && value.length !== undefined ? listOf(value) : value;
  };
  const asText = (value) => {
    if (typeof value === 'string') return value;
    if (value === undefined) return 'undefined';
    if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') return toText(plain('', value));
    if (typeof value !== 'object' || value === null) return toText(value);
    if (value instanceof ErrorKind) return describe(value);
    let text;
    try { text = stringify(value, plain); } catch {}
    return text === undefined ? toText(value) : text;
  };
  const cut = (text, most) => text.length <= most ? text
    : slice(text, 0, most) + '… [' + (text.length - most) + ' more characters]';
  const describe = (error) => {
    if (typeof error !== 'object' || error === null || !(error instanceof ErrorKind)) return 'thrown: ' + asText(error);
    const stack = typeof error.stack === 'string' ? slice(error.stack, 0, 400) : '';
    return error.name + ': ' + error.message + (stack === '' ? '' : '\\n' + stack);
  };
  const print = (...values) => {
    let line = '';
    for (let index = 0; index < values.length; index++) line += (index > 0 ? ' ' : '') + asText(values[index]);
    const room = limit - output.length;
    if (line.length < room) output += line + '\\n';
    else {
      output += slice(line, 0, room);
      dropped += line.length - room + 1;
    }
  };
  globalThis.print = print;
  globalThis.console = { log: print, info: print, warn: print, error: print, debug: print };
  return {
    begin: (most) => { output = ''; dropped = 0; limit = most; },
    show: (value, most) => value === undefined ? '' : cut(asText(value), most),
    describe: (error, most) => cut(describe(error), most),
    takeOutput: () => dropped > 0 ? output + '… [' + dropped + ' more characters]' : output,
    parse,
  };
})()`;
