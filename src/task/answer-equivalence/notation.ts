import { NAMED_FUNCTIONS } from './expression.ts';

/** LaTeX commands that only place or scale things. */
export const SILENT =
  /^(?:left|right|[bB]igg?[lrm]?|displaystyle|textstyle|scriptstyle|limits|nolimits|quad|qquad|[,!;: ]|thinspace|enspace|mathstrut|strut|hfill|noindent)$/;
export const TEXT_COMMANDS = new Set([
  'text',
  'mbox',
  'hbox',
  'textrm',
  'textbf',
  'textit',
  'textnormal',
  'textsf',
  'mathrm',
  'rm',
  'textup',
]);
export const TRANSPARENT = new Set([
  'mathbf',
  'boldsymbol',
  'mathit',
  'bm',
  'mathsf',
  'mathnormal',
  'displaylines',
  'ensuremath',
]);
export const NAMED_OBJECTS = new Set([
  'overline',
  'overrightarrow',
  'overleftrightarrow',
  'widehat',
  'vec',
  'hat',
  'bar',
  'tilde',
  'underline',
  'widetilde',
  'overarc',
]);
export const GREEK = new Set(
  (
    'alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi rho varrho sigma tau upsilon phi varphi chi psi omega ' +
    'Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell angle measuredangle triangle'
  ).split(' '),
);
export const MARKS: Readonly<Record<string, string>> = {
  cdot: '*',
  times: '*',
  ast: '*',
  div: '/',
  le: '<=',
  leq: '<=',
  leqslant: '<=',
  leqq: '<=',
  ge: '>=',
  geq: '>=',
  geqslant: '>=',
  geqq: '>=',
  ne: '!=',
  neq: '!=',
  lt: '<',
  gt: '>',
  cup: 'cup',
  cap: 'cap',
  setminus: 'setminus',
  backslash: 'setminus',
  in: 'in',
  pm: 'pm',
  mp: 'mp',
  approx: '=',
  equiv: '=',
  lbrace: '\\{',
  rbrace: '\\}',
  '{': '\\{',
  '}': '\\}',
  langle: '<(',
  rangle: ')>',
  lvert: '|',
  rvert: '|',
  vert: '|',
  mid: 'mid',
  '|': '||',
  lbrack: '[',
  rbrack: ']',
  lfloor: 'lfloor',
  rfloor: 'rfloor',
  lceil: 'lceil',
  rceil: 'rceil',
  '%': '%',
  $: '$',
  '&': '&',
  '\\': '\\\\',
  colon: ':',
  wedge: 'and',
  land: 'and',
  lor: 'or',
  vee: 'or',
  union: 'cup',
  to: 'to',
};
const FUNCTIONS = [...NAMED_FUNCTIONS, 'log', 'lg', 'exp'];
export const COMMANDS = new Set([
  ...FUNCTIONS,
  ...['frac', 'sqrt', 'surd', 'pi', 'infty', 'binom', 'circ', 'emptyset', 'mathbb', 'begin', 'end', 'pmod'],
]);
export const ALIASES: Readonly<Record<string, string>> = {
  dfrac: 'frac',
  tfrac: 'frac',
  cfrac: 'frac',
  dbinom: 'binom',
  tbinom: 'binom',
  varnothing: 'emptyset',
  asin: 'arcsin',
  acos: 'arccos',
  atan: 'arctan',
  inf: 'infty',
  infinity: 'infty',
  Infinity: 'infty',
  choose: 'binom',
  oo: 'infty',
};
/** Letters that have their meaning without a backslash too. */
export const PLAIN_NAMES = new Set([
  ...FUNCTIONS,
  'sqrt',
  'pi',
  'inf',
  'infty',
  'infinity',
  'Infinity',
  'oo',
  'frac',
  'asin',
  'acos',
  'atan',
]);
export const PLAIN_GREEK = new Set(['alpha', 'beta', 'gamma', 'theta', 'lambda', 'omega']);

/** Not a word and not a product of symbols: a function, a constant, a Greek letter, a conjunction. */
export function hasMeaningAlone(letters: string): boolean {
  return PLAIN_NAMES.has(letters) || PLAIN_GREEK.has(letters) || /^(?:and|or)$/i.test(letters);
}
