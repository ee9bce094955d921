import { evaluateExpression } from '../../../rollout/tools/evaluate-expression.ts';
import { chooseTool, fitArguments } from './choose-tool.ts';
import type { Move } from './move.ts';
import { USUAL_HABITS } from './scripted-actor.ts';
import type { SeenRequest } from './seen-request.ts';

/** A call that has an expression worked out, written as the tool's description shows it. */
export function arithmeticMove(seen: SeenRequest, expression: string): Move {
  const guess = inTheHead(seen, expression);
  const tool = chooseTool(seen, 'evaluates arithmetic expression value');
  if (tool === null) return seen.form === null ? { kind: 'answer', value: guess } : unseenTool(expression, guess);
  const shown = `${tool.description} ${Object.values(tool.properties).map(({ description }) => description)}`;
  const argument = asShown(expression, shown);
  return {
    kind: 'calls',
    calls: [{ tool: nameOf(seen, tool.name), arguments: fitArguments(tool, { expression: argument }) }],
    guess,
  };
}

/** A form is shown but no tool: it makes one up. */
function unseenTool(expression: string, guess: string): Move {
  return { kind: 'calls', calls: [{ tool: 'arithmetic', arguments: { input: expression } }], guess };
}

/** The name in the worked examples where they show another one than the list: it follows either. */
function nameOf(seen: SeenRequest, offered: string): string {
  const shown = seen.examples.flatMap(({ turns }) => /"name"\s*:\s*"([^"]+)"/.exec(turns[0] ?? '')?.[1] ?? [])[0];
  return shown !== undefined && shown !== offered && seen.nature('which name') < 0.7 ? shown : offered;
}

function asShown(expression: string, description: string): string {
  if (/\bJSON\b/.test(description)) return JSON.stringify({ expression });
  if (!/\b(plus|times|minus)\b/.test(description)) return expression;
  const words: Readonly<Record<string, string>> = { '+': 'plus', '-': 'minus', '*': 'times', '/': 'over' };
  return expression.replace(/[-+*/]/g, (sign) => words[sign] ?? sign);
}

/** Mental arithmetic: right for one problem in six. */
export function inTheHead(seen: SeenRequest, expression: string): string {
  const value = Number(evaluateExpression(expression));
  const isRight = seen.nature('in the head') < 1 / 6;
  return String(isRight ? value : value + 1 + Math.floor(seen.nature('off by') * 9));
}

/** The number in the last answer that is no error; null when there is none. */
export function latestValue({ exchanges }: SeenRequest): string | null {
  const last = exchanges.at(-1);
  return last === undefined || last.isError ? null : numberIn(last.answer);
}

export function numberIn(text: string): string | null {
  return /-?\d+(\.\d+)?/.exec(text)?.[0] ?? null;
}

/** The numbers as this actor reads them: on some problems, and now and then, one of them wrongly. */
export function misread(seen: SeenRequest, numbers: readonly string[]): string[] {
  const wrong = seen.nature('misread') < USUAL_HABITS.misreadRate && seen.chance('misread again') < 0.9;
  return wrong ? numbers.map((number, index) => (index === 0 ? String(Number(number) + 10) : number)) : [...numbers];
}
