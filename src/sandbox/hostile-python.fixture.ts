import type { HostileTry } from './hostile-try.fixture.ts';

const BLOCKED = ['error'] as const;
const JS = 'import pyodide_js; f = pyodide_js.constructor.constructor; ';

/** Tries to leave the Python sandbox or to harm its host; each has been seen to end as it says. */
export const HOSTILE_PYTHON: readonly HostileTry[] = [
  { goal: 'read a file of the host', code: "open('/etc/hostname').read()", ends: BLOCKED },
  {
    goal: 'list folders of the host',
    code: "import os; sorted(set(os.listdir('/')) & {'etc', 'root', 'work', 'usr', 'var'})",
    ends: [{ value: '[]' }],
  },
  {
    goal: 'write a file and find it later',
    code: "open('/tmp/mark', 'w').write('x'); 'written inside'",
    ends: [{ value: 'written inside' }],
  },
  {
    goal: 'follow a symbolic link out',
    code: "import os; os.symlink('/etc/hostname', '/tmp/link'); open('/tmp/link').read()",
    ends: BLOCKED,
  },
  { goal: 'climb out with ..', code: "open('../../../../../../etc/hostname').read()", ends: BLOCKED },
  {
    goal: 'win a race between a look and a use of a link',
    code: "import os\nopen('/tmp/own', 'w').write('own')\nfor i in range(200):\n  if os.path.lexists('/tmp/race'): os.remove('/tmp/race')\n  os.symlink('/tmp/own' if i % 2 else '/etc/hostname', '/tmp/race')\n  try: text = open('/tmp/race').read()\n  except OSError: continue\n  assert text == 'own'\n'only its own'",
    ends: [{ value: 'only its own' }],
  },
  {
    goal: 'mount a folder of the host',
    code: "import pyodide_js; pyodide_js.mountNodeFS('/mnt', '/etc'); import os; os.listdir('/mnt')",
    ends: BLOCKED,
  },
  {
    goal: 'use the file system behind the interpreter',
    code: "import pyodide_js; FS = pyodide_js._module.FS; FS.mkdir('/host'); FS.mount(FS.filesystems.NODEFS, pyodide_js.toPy({'root': '/etc'}), '/host'); import os; os.listdir('/host')",
    ends: BLOCKED,
  },
  {
    goal: 'read the interpreter’s own package',
    code: "import pyodide_js; pyodide_js._api.config.indexURL and open(pyodide_js._api.config.indexURL + 'package.json').read()",
    ends: BLOCKED,
  },
  {
    goal: 'fetch a package from the network',
    code: "import pyodide_js; pyodide_js.loadPackage('numpy').add_done_callback(print); 'asked'",
    ends: ['error', { value: 'asked' }],
  },
  { goal: 'open a socket', code: "import socket; socket.create_connection(('127.0.0.1', 22), 2)", ends: BLOCKED },
  {
    goal: 'listen on a port',
    code: "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); s.accept()",
    ends: BLOCKED,
  },
  {
    goal: 'fetch a page',
    code: "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9/', timeout=1)",
    ends: ['error', 'timeout'],
  },
  {
    goal: 'fetch through the browser’s interface',
    code: "from pyodide.http import open_url; open_url('http://127.0.0.1:9/')",
    ends: BLOCKED,
  },
  {
    goal: 'read the environment of the host',
    code: "import os; sorted({'CO_HARNESS_SECRET', 'SHELL', 'DENO_DIR'} & set(os.environ))",
    ends: [{ value: '[]' }],
  },
  { goal: 'read the environment of the process', code: "open('/proc/self/environ').read()", ends: BLOCKED },
  {
    goal: 'start a program with os.system',
    code: "import os; os.system('echo out > /tmp/co-harness-escaped')",
    ends: BLOCKED,
  },
  { goal: 'start a program with subprocess', code: "import subprocess; subprocess.run(['id'])", ends: BLOCKED },
  { goal: 'replace the process', code: "import os; os.execv('/bin/sh', ['sh'])", ends: BLOCKED },
  { goal: 'fork', code: 'import os\nif os.fork() == 0: os._exit(0)', ends: BLOCKED },
  {
    goal: 'start threads for ever',
    code: 'import threading\nwhile True: threading.Thread(target=lambda: None).start()',
    ends: BLOCKED,
  },
  { goal: 'start a pool of processes', code: 'import multiprocessing; multiprocessing.Pool(2)', ends: BLOCKED },
  { goal: 'load a library of the host', code: "import ctypes; ctypes.CDLL('libc.so.6')", ends: BLOCKED },
  { goal: 'run JavaScript from text', code: "from pyodide.code import run_js; run_js('1')", ends: BLOCKED },
  { goal: 'escape through a JavaScript constructor', code: `${JS}f('return typeof Deno')()`, ends: BLOCKED },
  {
    goal: 'find globals of the host in js',
    code: "import js; [name for name in ('Deno', 'process', 'fetch', 'globalThis', 'eval', 'Function') if hasattr(js, name)]",
    ends: [{ value: '[]' }],
  },
  { goal: 'end its process quietly', code: 'import os; os._exit(0)', ends: BLOCKED },
  { goal: 'abort its process', code: 'import os; os.abort()', ends: ['error', 'memory'] },
  { goal: 'exit', code: 'raise SystemExit(0)', ends: BLOCKED },
  { goal: 'loop for ever', code: 'while True: pass', ends: ['timeout'] },
  {
    goal: 'catch the interrupt',
    code: 'while True:\n  try:\n    while True: pass\n  except BaseException: pass',
    ends: ['timeout'],
  },
  {
    goal: 'ignore signals',
    code: 'import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass',
    ends: ['timeout', 'error'],
  },
  { goal: 'sleep', code: 'import time; time.sleep(1000)', ends: ['timeout', 'error'] },
  {
    goal: 'backtrack in a regular expression',
    code: "import re; re.match('(a+)+$', 'a' * 40 + 'b')",
    ends: ['timeout'],
  },
  { goal: 'compute a huge integer', code: '7 ** (10 ** 9)', ends: ['timeout', 'memory', 'error'] },
  { goal: 'write a huge integer out', code: 'str(10 ** 1000000)', ends: ['error', 'timeout'] },
  { goal: 'ask for a huge buffer', code: 'bytearray(3 * 10 ** 9)', ends: ['memory', 'error'] },
  { goal: 'make a huge list', code: '[0] * 10 ** 9', ends: ['memory'] },
  {
    goal: 'fill the heap bit by bit',
    code: "all = []\nwhile True: all.append('x' * 100000 + str(len(all)))",
    ends: ['memory', 'timeout'],
  },
  {
    goal: 'fill the heap and catch it',
    code: "all = []\nwhile True:\n  try:\n    while True: all.append('x' * 100000 + str(len(all)))\n  except MemoryError: pass",
    ends: ['timeout', 'memory', 'error'],
  },
  {
    goal: 'fill the memory of JavaScript',
    code: "import pyodide_js\nall = []\nwhile True: all.append(pyodide_js.toPy.constructor and __import__('pyodide').ffi.to_js(bytes(10 ** 6)))",
    ends: ['memory', 'timeout', 'error'],
  },
  { goal: 'recurse for ever', code: 'def f(n): return f(n + 1)\nf(0)', ends: BLOCKED },
  {
    goal: 'recurse past the interpreter’s limit',
    code: 'import sys; sys.setrecursionlimit(10 ** 8)\ndef f(n): return f(n + 1)\nf(0)',
    ends: ['error', 'memory', 'timeout'],
  },
  {
    goal: 'nest brackets deeper than the parser',
    code: "eval('(' * 100000 + ')' * 100000)",
    ends: ['error', 'memory'],
  },
  { goal: 'unpickle code', code: 'import pickle; pickle.loads(b"cos\\nsystem\\n(S\'id\'\\ntR.")', ends: BLOCKED },
  { goal: 'print for ever', code: "while True: print('x' * 1000)", ends: ['timeout'] },
  { goal: 'answer with a huge value', code: "'x' * 5_000_000", ends: [{ value: 'x' }] },
  {
    goal: 'forge a reply on standard output',
    code: 'import os; os.write(1, b\'{"id": 99, "kind": "ok"}\\n\'); \'real\'',
    ends: [{ value: 'real' }],
  },
  { goal: 'read the next request', code: 'import sys; sys.stdin.read()', ends: ['error', { value: '' }] },
  {
    goal: 'poison what shows values',
    code: "import json, builtins\njson.dumps = lambda *a, **k: 'forged'\nbuiltins.repr = lambda x: 'forged'\nbuiltins.str = None\n[1, 2]",
    ends: [{ value: '[1, 2]' }, 'error'],
  },
  {
    goal: 'break the stream it prints to',
    code: "import sys\nsys.stdout.close()\n'still here'",
    ends: [{ value: 'still here' }, 'error'],
  },
  {
    goal: 'answer with an object that fails to be shown',
    code: 'class X:\n  def __repr__(self): raise KeyboardInterrupt\nX()',
    ends: BLOCKED,
  },
];
