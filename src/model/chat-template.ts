import { Template } from '@huggingface/jinja';
import { CoHarnessError, errorMessage } from '../base/errors.ts';
import type { ChatMessage } from './model-backend.ts';

/**
 * A stretch of a rendered prompt. `markup` is tokenised with control tokens recognised; `literal` is message content that spells a
 * control token and must stay plain text.
 */
export interface PromptSegment {
  kind: 'markup' | 'literal';
  text: string;
}

export interface ChatTemplate {
  /**
   * Segments in order; their texts joined are what the template rendered. Content without a control token's spelling gives exactly one
   * segment, so that ordinary prompts are tokenised in one piece. Throws {@link CoHarnessError} `chat-template-refused` when
   * the template raises (a role it does not know, say).
   */
  render(messages: readonly ChatMessage[], addGenerationPrompt: boolean): PromptSegment[];
}

/**
 * `source` is Jinja, as in `tokenizer.chat_template`. `controlTokens` are the spellings that the tokeniser would turn into control
 * tokens. Throws {@link CoHarnessError} `chat-template-unreadable`.
 */
export function compileChatTemplate(options: {
  source: string;
  bosToken: string;
  eosToken: string;
  controlTokens: readonly string[];
}): ChatTemplate {
  const template = parseTemplate(options.source);
  const controlToken = anyOf(options.controlTokens);
  return {
    render: (messages, addGenerationPrompt) => {
      const marker = unusedCharacter(messages);
      const literals: string[] = [];
      const escaped = messages.map(({ role, content }) => ({
        role,
        content: content.replace(controlToken, (text) => `${marker}${literals.push(text) - 1}${marker}`),
      }));
      const text = renderTemplate(template, {
        messages: escaped,
        bos_token: options.bosToken,
        eos_token: options.eosToken,
        add_generation_prompt: addGenerationPrompt,
        fixed_strftime_now: fixedDate,
      });
      return splitAtMarkers(text, marker, literals);
    },
  };
}

function parseTemplate(source: string): Template {
  try {
    // A template that prints today's date would make the same request differ from day to day. The library declares the clock itself and lets
    // nobody replace it, hence the other name.
    return new Template(source.replace(/\bstrftime_now\b/g, 'fixed_strftime_now'));
  } catch (cause) {
    throw new CoHarnessError(
      'chat-template-unreadable',
      `The model's chat template is not valid Jinja: ${errorMessage(cause)}. Use a model file with a working tokenizer.chat_template.`,
      { cause, details: { source } },
    );
  }
}

/** 1 January 2025 in the given strftime format. */
function fixedDate(format: string): string {
  const parts: Record<string, string> = {
    Y: '2025',
    y: '25',
    m: '01',
    d: '01',
    b: 'Jan',
    B: 'January',
    a: 'Wed',
    A: 'Wednesday',
    H: '00',
    M: '00',
    S: '00',
  };
  return format.replace(/%([A-Za-z])/g, (whole, letter: string) => parts[letter] ?? whole);
}

function renderTemplate(template: Template, variables: Record<string, unknown>): string {
  try {
    return template.render(variables);
  } catch (cause) {
    throw new CoHarnessError(
      'chat-template-refused',
      `The model's chat template refused the messages: ${errorMessage(cause)}. Check the order and roles of the turns that the harness sends.`,
      { cause, details: { messages: variables.messages } },
    );
  }
}

function anyOf(texts: readonly string[]): RegExp {
  const longestFirst = texts.filter((text) => text !== '').sort((a, b) => b.length - a.length);
  // An empty alternation would match everywhere; (?!) matches nowhere.
  return new RegExp(longestFirst.map(RegExp.escape).join('|') || '(?!)', 'g');
}

/** A private-use character that no message contains, so that a message cannot forge a marker. */
function unusedCharacter(messages: readonly ChatMessage[]): string {
  for (let code = 0xe000; code <= 0xf8ff; code++) {
    const character = String.fromCharCode(code);
    if (!messages.some(({ content }) => content.includes(character))) return character;
  }
  throw new CoHarnessError(
    'chat-template-refused',
    'The messages use every private-use character of Unicode; remove some of them.',
  );
}

function splitAtMarkers(text: string, marker: string, literals: readonly string[]): PromptSegment[] {
  // Odd entries are the captured indices.
  return text
    .split(new RegExp(`${marker}(\\d+)${marker}`))
    .map((part, position): PromptSegment => {
      return position % 2 === 0
        ? { kind: 'markup', text: part }
        : { kind: 'literal', text: literals[Number(part)] ?? '' };
    })
    .filter((segment) => segment.text !== '');
}
