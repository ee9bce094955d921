/** Code that cannot be read or loaded, in the words of QuickJS and Python. */
const LOADING =
  /\b(?:SyntaxError|IndentationError|TabError|ImportError|ModuleNotFoundError)\b|there is no module|could not load module|must have a default export|must define a function/;
/** What code throws that reaches for something that is not there: names, members, files and programs of the host. */
const REACHING =
  /\b(?:ReferenceError|TypeError|NameError|UnboundLocalError|AttributeError|RecursionError|OSError|PermissionError|FileNotFoundError|NotImplementedError|JsException)\b/;

/**
 * Whether what code threw is a defect of the code rather than its judgement on the arguments it was given. `conforming`: these satisfied its schema; if
 * not, only code that does not load is to blame.
 */
export function isCodeDefect(problem: string, { conforming }: { conforming: boolean }): boolean {
  return LOADING.test(problem) || (conforming && REACHING.test(problem));
}
