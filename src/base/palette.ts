import { styleText } from 'node:util';

/**
 * Styles for text that goes to `stream`: escape codes where it is a terminal, the bare text elsewhere; `NO_COLOR` and
 * `FORCE_COLOR` overrule (no-color.org, force-color.org). A build server that sets `CI` is not a terminal.
 */
export function palette(stream: NodeJS.WritableStream) {
  const style = (format: 'red' | 'green' | 'yellow' | 'dim' | 'bold') => (text: string) =>
    styleText(format, text, { stream });
  return {
    red: style('red'),
    green: style('green'),
    yellow: style('yellow'),
    dim: style('dim'),
    bold: style('bold'),
  };
}

export type Palette = ReturnType<typeof palette>;
