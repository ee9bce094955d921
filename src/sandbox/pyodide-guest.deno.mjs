// Runs in Deno, one interpreter a process: Python (Pyodide) whose requests come as JSON lines on stdin. Arguments: folder of the pyodide package, file of
// the memory snapshot (made where it is missing and `make` is the third argument), most pages of its memory.
// The folder is the only thing it may read, and it gives that up before the first line of a guest's code.

const [folder, snapshotFile, mode, pages] = Deno.args;
const MEMORY_SECTION = 5;

/** The module with a lower maximum of its memory, which no code inside can lift. */
function withMaximum(bytes, maximum) {
  const copy = new Uint8Array(bytes.slice(0));
  let place = 8;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = copy[place++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  while (place < copy.length) {
    const section = copy[place++];
    const size = number();
    if (section !== MEMORY_SECTION) {
      place += size;
      continue;
    }
    place += 2;
    number();
    const start = place;
    number();
    // The same number of bytes as before: leading zero groups are allowed.
    for (let left = maximum, at = start; at < place; at++, left >>= 7)
      copy[at] = (left & 127) | (at < place - 1 ? 128 : 0);
    return copy;
  }
  throw new Error('the WebAssembly module has no memory of its own');
}

const instantiate = WebAssembly.instantiate;
WebAssembly.instantiate = (source, imports) => {
  const isInterpreter = !(source instanceof WebAssembly.Module) && source.byteLength > 1_000_000;
  return instantiate(isInterpreter ? withMaximum(source, Number(pages)) : source, imports);
};

const { loadPyodide } = await import(new URL(`file://${folder}/pyodide.mjs`).href);
const isMaking = mode === 'make';
const python = await loadPyodide({
  indexURL: `${folder}/`,
  jsglobals: Object.create(null),
  env: { HOME: '/home/user', PYTHONHASHSEED: '0' },
  ...(isMaking ? { _makeSnapshot: true } : { _loadSnapshot: Deno.readFileSync(snapshotFile) }),
});
WebAssembly.instantiate = instantiate;

if (isMaking) {
  // What most calculations import is in the snapshot, so that it costs nothing later.
  python.runPython(
    'import math, cmath, json, re, itertools, functools, collections, fractions, decimal, random, statistics, heapq, bisect, string, datetime, sys, io, traceback, ast, asyncio; random.seed(0)',
  );
  Deno.writeFileSync(snapshotFile, python.makeMemorySnapshot());
  Deno.exit(0);
}

const DRIVER = `
def _driver():
    import json, sys, traceback, types
    from pyodide.code import eval_code
    dumps, loads, text, represent, isinstance_ = json.dumps, json.loads, str, repr, isinstance
    world = {'__name__': '__main__', '__builtins__': __builtins__}
    programs = {}
    streams = [sys.stdout, sys.stderr]

    def shown(value, as_json):
        if value is None:
            return ''
        if isinstance_(value, text):
            return value
        return dumps(value, default=represent, ensure_ascii=False) if as_json else represent(value)

    def problem(error):
        kept, trace = [], error.__traceback__
        for frame in traceback.extract_tb(trace):
            if frame.filename.startswith('<code') or frame.filename.startswith('/program/'):
                kept.append(f'  line {frame.lineno} of {frame.filename.removeprefix("/program/")}, in {frame.name}')
        last = ''.join(traceback.format_exception_only(error)).strip()
        return '\\n'.join([*kept[-5:], last])

    def loaded(entry, files):
        if entry not in programs:
            import os
            for path, source in files.items():
                place = '/program/' + path
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, 'w') as file:
                    file.write(source)
            sys.path.insert(0, '/program')
            space = {'__name__': 'tool', '__file__': '/program/' + entry}
            exec(compile(files.get(entry, ''), '/program/' + entry, 'exec'), space)
            if not callable(space.get('run')):
                raise TypeError(f'{entry} must define a function run(...) that takes the arguments by name')
            programs[entry] = space['run']
        return programs[entry]

    def perform(request):
        task = loads(request)
        try:
            if task['kind'] == 'script':
                value = shown(eval_code(task['code'], world, filename='<code>'), False)
            else:
                value = shown(loaded(task['entry'], task['files'])(**loads(task['input'])), True)
            return ['ok', value]
        except MemoryError as error:
            return ['memory', problem(error)]
        except BaseException as error:
            return ['error', problem(error)]

    def answer(request):
        kind, said = perform(request)
        for stream in streams:
            try:
                stream.flush()
            except BaseException:
                pass
        return dumps([kind, said])

    return answer
_driver()
`;

const perform = python.runPython(DRIVER);
let output = '';
let most = 0;
let dropped = 0;
const decoder = new TextDecoder();
const write = (bytes) => {
  const text = decoder.decode(bytes, { stream: true });
  const room = most - output.length;
  output += text.slice(0, room);
  dropped += Math.max(0, text.length - room);
  return bytes.length;
};
python.setStdout({ write });
python.setStderr({ write });
python.setStdin({ stdin: () => null });

function answerTo({ task, limits }) {
  [output, most, dropped] = ['', limits.outputCharacters, 0];
  let kind = 'error';
  let said = '';
  let isUsable = true;
  try {
    [kind, said] = JSON.parse(perform(JSON.stringify(task)));
  } catch (error) {
    isUsable = false;
    said = `the interpreter broke: ${String(error?.message ?? error).slice(0, 400)}`;
  }
  const cut = (text) =>
    text.length <= most ? text : `${text.slice(0, most)}… [${text.length - most} more characters]`;
  return {
    kind,
    said: cut(String(said)),
    output: dropped > 0 ? `${output}… [${dropped} more characters]` : output,
    isUsable,
  };
}

const encoder = new TextEncoder();
const { stdin, stdout } = Deno;
function say(value) {
  let bytes = encoder.encode(`${JSON.stringify(value)}\n`);
  while (bytes.length > 0) bytes = bytes.subarray(stdout.writeSync(bytes));
}

async function* lines() {
  let text = '';
  for await (const part of stdin.readable.pipeThrough(new TextDecoderStream())) {
    const whole = (text + part).split('\n');
    text = whole.pop();
    yield* whole;
  }
}

for (const name of ['read', 'write', 'net', 'env', 'run', 'ffi', 'sys', 'import'])
  Deno.permissions.revokeSync({ name });
for (const name of ['Deno', 'process', 'Buffer', 'fetch', 'WebSocket', 'Worker', 'close']) delete globalThis[name];
say({ id: 0 });
for await (const line of lines()) {
  const request = JSON.parse(line);
  let reply;
  try {
    reply = answerTo(request);
  } catch (error) {
    reply = { kind: 'error', said: `the interpreter broke: ${String(error).slice(0, 400)}`, output, isUsable: false };
  }
  say({ id: request.id, ...reply });
}
