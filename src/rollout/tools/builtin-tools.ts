import { evaluateExpression } from './evaluate-expression.ts';
import { ToolError } from './tool-error.ts';

/** A tool that runs in this process. Arguments have passed the tool's schema. Throws {@link ToolError} for what the model did wrong. */
export type BuiltinTool = (args: Readonly<Record<string, unknown>>, signal: AbortSignal) => string | Promise<string>;

/** Back ends of kind `builtin` by name. */
export const BUILTIN_TOOLS: ReadonlyMap<string, BuiltinTool> = new Map<string, BuiltinTool>([
  ['calculator', (args) => evaluateExpression(soleText(args, 'expression'))],
]);

/** The argument `usual`, or, where a diff gave it another name, the only text argument. */
export function soleText(args: Readonly<Record<string, unknown>>, usual: string): string {
  const texts = Object.values(args).filter((value) => typeof value === 'string');
  const text = typeof args[usual] === 'string' ? args[usual] : texts.length === 1 ? texts[0] : undefined;
  if (text === undefined) throw new ToolError('arguments', `expected a text argument "${usual}"`);
  return text;
}
