import type { HostileTry } from './hostile-try.fixture.ts';

const BLOCKED = ['error'] as const;
const GLOBAL_NAMES =
  'process require module fetch WebSocket XMLHttpRequest Deno Bun std os scriptArgs Worker SharedArrayBuffer_host WebAssembly setTimeout importScripts __dirname';

/** Each of them has been seen to end as it says; none may touch the host. */
export const HOSTILE_JAVASCRIPT: readonly HostileTry[] = [
  {
    goal: 'find any object of the host among the globals',
    code: `${JSON.stringify(GLOBAL_NAMES)}.split(' ').filter((name) => typeof globalThis[name] !== 'undefined').join(' ')`,
    ends: [{ value: '' }],
  },
  {
    goal: 'read a file through a module',
    code: "import('fs').then((fs) => fs.readFileSync('/etc/passwd', 'utf8'))",
    ends: BLOCKED,
  },
  {
    goal: 'read a file through node:',
    code: "import('node:fs/promises').then((fs) => fs.readFile('/etc/passwd'))",
    ends: BLOCKED,
  },
  { goal: 'load a file as a module', code: "import('/etc/passwd')", ends: BLOCKED },
  { goal: 'climb out of the module folder', code: "import('../../../../package.json')", ends: BLOCKED },
  {
    goal: 'load what every object of the host inherits',
    code: "import('__proto__').then(() => 'loaded')",
    ends: BLOCKED,
  },
  { goal: 'load a function of the host', code: "import('toString').then(() => 'loaded')", ends: BLOCKED },
  { goal: 'load a module from the network', code: "import('https://example.com/x.js')", ends: BLOCKED },
  { goal: 'load a module from a data address', code: "import('data:text/javascript,export default 1')", ends: BLOCKED },
  { goal: 'reach the network', code: "fetch('http://127.0.0.1:1/')", ends: BLOCKED },
  { goal: 'read the environment', code: 'process.env.PATH', ends: BLOCKED },
  { goal: 'start a program', code: "require('child_process').execSync('id')", ends: BLOCKED },
  {
    goal: 'use the std module of QuickJS',
    code: "import('std').then((std) => std.loadFile('/etc/passwd'))",
    ends: BLOCKED,
  },
  {
    goal: 'escape through the constructor of a function',
    code: "print.constructor('return typeof process + typeof require + typeof Deno')()",
    ends: [{ value: 'undefinedundefinedundefined' }],
  },
  {
    goal: 'escape through the constructor of the constructor',
    code: "this.constructor.constructor('return typeof process')()",
    ends: [{ value: 'undefined' }],
  },
  {
    goal: 'escape through an error’s constructor',
    code: "try { null.x } catch (error) { error.constructor.constructor('return typeof process')() }",
    ends: [{ value: 'undefined' }],
  },
  {
    goal: 'escape through an asynchronous function’s constructor',
    code: "(async () => {}).constructor('return typeof process')()",
    ends: [{ value: 'undefined' }],
  },
  {
    goal: 'read the caller of a host function',
    code: 'function f() { return print.caller } f()',
    ends: ['error', { value: '' }, { value: 'null' }],
  },
  {
    goal: 'poison the prototype of objects',
    code: "Object.prototype.polluted = 'yes'; Object.prototype.kind = 'ok'; ({}).polluted",
    ends: [{ value: 'yes' }],
  },
  {
    goal: 'poison what shows values',
    code: "JSON.stringify = () => 'forged'; String.prototype.slice = () => 'forged'; Array.prototype.push = null; [1, 2]",
    ends: [{ value: '[1,2]' }],
  },
  { goal: 'poison toString', code: '({ toString() { throw 1 }, toJSON() { throw 2 } })', ends: ['error'] },
  { goal: 'loop in the text of its value', code: '({ toJSON() { for (;;); } })', ends: ['timeout'] },
  {
    goal: 'loop in the text of its error',
    code: "const e = new Error(); Object.defineProperty(e, 'message', { get() { for (;;); } }); throw e",
    ends: ['timeout', 'error'],
  },
  { goal: 'loop for ever', code: 'for (;;);', ends: ['timeout'] },
  {
    goal: 'catch the interrupt',
    code: 'for (;;) { try { for (;;); } catch {} finally { for (let i = 0; i < 9; i++); } }',
    ends: ['timeout'],
  },
  {
    goal: 'catch the interrupt in a generator',
    code: 'function* g() { for (;;) { try { yield 1 } finally { for (;;); } } } for (const x of g()) break',
    ends: ['timeout'],
  },
  {
    goal: 'loop in a promise',
    code: 'const again = () => Promise.resolve().then(again); again(); 1',
    ends: ['timeout'],
  },
  { goal: 'sleep by the clock', code: 'const end = Date.now() + 1e9; while (Date.now() < end);', ends: ['timeout'] },
  {
    goal: 'sleep in Atomics',
    code: 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
    ends: ['error', 'timeout'],
  },
  { goal: 'wait for ever', code: 'new Promise(() => {})', ends: BLOCKED },
  {
    goal: 'fill the heap with lists',
    code: 'const all = []; for (;;) all.push(new Array(1e5).fill(1))',
    ends: ['memory', 'timeout'],
  },
  {
    goal: 'fill the heap with objects',
    code: 'let o = {}; for (;;) o = { o, text: "x".repeat(100) + Math.random() }',
    ends: ['memory', 'timeout'],
  },
  {
    goal: 'fill the heap and catch it',
    code: 'const all = []; for (;;) { try { for (;;) all.push("x".repeat(1e5) + all.length) } catch {} }',
    ends: ['memory', 'timeout', 'error'],
  },
  { goal: 'ask for a huge buffer', code: 'new Uint8Array(2 ** 31)', ends: ['error', 'memory'] },
  { goal: 'make a huge text', code: "'x'.repeat(2 ** 29)", ends: ['error', 'memory'] },
  { goal: 'double a text for ever', code: "let s = 'x'; for (;;) s += s", ends: ['error', 'memory'] },
  { goal: 'recurse for ever', code: 'function f() { return f() + 1 } f()', ends: BLOCKED },
  { goal: 'nest brackets deeper than the parser', code: "eval('('.repeat(200000))", ends: ['error', 'timeout'] },
  { goal: 'nest JSON deeper than the parser', code: "JSON.parse('['.repeat(500000))", ends: ['error', 'timeout'] },
  {
    goal: 'show a value deeper than the stack',
    code: 'let o = {}; for (let i = 0; i < 100000; i++) o = { o }; o',
    ends: ['error', 'timeout', { value: '[object Object]' }],
  },
  { goal: 'backtrack in a regular expression', code: "/^(a+)+$/.test('a'.repeat(40) + 'b')", ends: ['timeout'] },
  { goal: 'use a regular expression with too many groups', code: "new RegExp('('.repeat(100000))", ends: BLOCKED },
  { goal: 'compute a huge integer', code: '2n ** 100000000n', ends: BLOCKED },
  { goal: 'square an integer for ever', code: 'let b = 3n; for (;;) b = b * b', ends: ['error', 'timeout', 'memory'] },
  { goal: 'loop inside a built-in that is never interrupted', code: "Array(1e9).join('x')", ends: ['timeout'] },
  { goal: 'sort with a comparison that never ends', code: '[2, 1].sort(() => { for (;;); })', ends: ['timeout'] },
  { goal: 'loop in a proxy', code: 'new Proxy({}, { get() { for (;;); } }).x', ends: ['timeout'] },
  { goal: 'print for ever', code: "for (;;) print('x'.repeat(1000))", ends: ['timeout'] },
  { goal: 'answer with a huge value', code: "'x'.repeat(5e6)", ends: [{ value: 'x' }, 'timeout'] },
];
