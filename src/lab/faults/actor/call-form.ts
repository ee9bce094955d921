import type { ToolCall } from '../../../trajectory/trajectory.ts';

/** How a request shows that calls are written. `{tool}` in the marks stands for the tool's name. */
export interface CallForm {
  open: string;
  close: string;
  body: 'call' | 'arguments' | 'argument';
}

const FENCED = /```([\w{}-]+)\n([\s\S]*?)\n?```/;
const TAGGED = /<([\w-]+)>([^<]*)<\/\1>/;
const BARE = /\{\s*"name"\s*:\s*"[^"]*"\s*,\s*"arguments"\s*:/;

/** The first call form that a text shows; null when it shows none. Lists of tools (with "parameters") are not calls. */
export function formIn(text: string, toolNames: readonly string[]): CallForm | null {
  const shown = text
    .split('\n')
    .filter((line) => !/"parameters"\s*:/.test(line))
    .join('\n');
  const fenced = FENCED.exec(shown);
  if (fenced !== null) {
    const [, mark = '', body = ''] = fenced;
    const open = toolNames.includes(mark) ? '{tool}' : mark;
    return { open: `\`\`\`${open}\n`, close: '\n```', body: bodyOf(body) };
  }
  const tagged = TAGGED.exec(shown);
  if (tagged !== null) {
    const [, mark = '', body = ''] = tagged;
    const open = toolNames.includes(mark) ? '{tool}' : mark;
    return { open: `<${open}>`, close: `</${open}>`, body: bodyOf(body) };
  }
  return BARE.test(shown) ? { open: '', close: '', body: 'call' } : null;
}

function bodyOf(body: string): CallForm['body'] {
  if (/"arguments"\s*:/.test(body)) return 'call';
  return body.trim().startsWith('{') ? 'arguments' : 'argument';
}

/** A call written in a form. A form whose body is one argument gets the call's first text. */
export function writeCall(form: CallForm, call: ToolCall): string {
  const marks = (text: string) => text.replaceAll('{tool}', call.tool);
  const text = Object.values(call.arguments).find((value) => typeof value === 'string');
  const body =
    form.body === 'call'
      ? JSON.stringify({ name: call.tool, arguments: call.arguments })
      : form.body === 'argument' && typeof text === 'string'
        ? text
        : JSON.stringify(call.arguments);
  return `${marks(form.open)}${body}${marks(form.close)}`;
}

/** Expressions and values that an earlier turn of the actor passed to tools, whatever its form: every text between quotes or marks. */
export function passedTexts(turn: string): string[] {
  const quoted = [...turn.matchAll(/:\s*"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1] ?? '');
  const marked = [...turn.matchAll(/(?:>|\n)([^<{}\n]+)(?=<|\n|$)/g)].map((match) => (match[1] ?? '').trim());
  return [...quoted, ...marked];
}
