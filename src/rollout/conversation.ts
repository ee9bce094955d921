import type { Harness, HarnessExample, HarnessTool } from '../harness/harness.ts';
import { hasField } from '../harness/template-fields.ts';
import type { ChatMessage } from '../model/model-backend.ts';
import type { Task } from '../task/task.ts';
import { type ParsedReply, renderCall } from './call-dialect.ts';
import { fillTemplate, spacedJson } from './fill-template.ts';
import { shownFacts } from './memory/shown-facts.ts';
import { nativeExample, nativeResults } from './native-calls.ts';
import { skillsOfPrompt } from './open-skills.ts';

const prefixes = new WeakMap<Harness, WeakMap<readonly HarnessTool[], readonly ChatMessage[]>>();

/** `opening` never changes; `history` grows turn by turn and may be trimmed from its front. */
export interface Conversation {
  readonly opening: readonly ChatMessage[];
  readonly history: ChatMessage[];
  /** What the next model call is sent. */
  messages(): ChatMessage[];
  /** Adds what the model wrote, unless nothing came of it, and what it is shown then: results of its calls, or a text in their place. */
  appendTurn(reply: ParsedReply, results: readonly string[], askAgain: string | null): void;
  /** A text that stands with the task until the next one: what the memory policy keeps of dropped turns. Empty = none. */
  remind(text: string): void;
  /** Adds a user turn; joined to the turn before where that is the user's too, because chat templates want roles to alternate. */
  appendUser(content: string): void;
}

/** `beside`: what stands with the task from the start (skills that a rule loaded). */
export function openConversation(
  harness: Harness,
  task: Task,
  tools: readonly HarnessTool[],
  beside = '',
): Conversation {
  const opening = withAdded(openingMessages(harness, task, tools), beside);
  let reminder = '';
  const history: ChatMessage[] = [];
  const conversation: Conversation = {
    opening,
    history,
    messages: () => {
      const [first] = history;
      const reminded = withAdded(opening, reminder);
      // What is said before the first reply belongs to the task's turn: two turns of one role are refused by many chat templates.
      return first?.role === 'user'
        ? [...withAdded(reminded, first.content), ...history.slice(1)]
        : [...reminded, ...history];
    },
    remind: (text) => {
      reminder = text;
    },
    appendTurn: (reply, results, askAgain) => {
      const { text, native } = reply;
      if (native !== undefined && native.length > 0 && results.length > 0) {
        history.push({ role: 'assistant', content: text, calls: native }, ...nativeResults(reply, results));
      } else if (text.trim() !== '' || results.length > 0) {
        history.push({ role: 'assistant', content: text });
        if (results.length > 0) history.push(resultMessage(harness, results));
      }
      if (askAgain !== null) conversation.appendUser(askAgain);
    },
    appendUser: (content) => {
      const last = history.at(-1);
      if (last?.role !== 'user') history.push({ role: 'user', content });
      else history[history.length - 1] = { role: 'user', content: `${last.content}\n\n${content}` };
    },
  };
  return conversation;
}

/** The messages with a text added to the last of them, which is the task's. */
function withAdded(messages: readonly ChatMessage[], text: string): ChatMessage[] {
  const last = messages.at(-1);
  if (text === '' || last === undefined) return [...messages];
  return [...messages.slice(0, -1), { ...last, content: `${last.content}\n\n${text}` }];
}

/**
 * Messages before the first model call: system prompt, worked examples as earlier turns, the task. All but the task depend on φ and the offered tools
 * alone, so that an engine can keep them evaluated.
 */
export function openingMessages(harness: Harness, task: Task, tools: readonly HarnessTool[]): ChatMessage[] {
  let prefix = prefixes.get(harness)?.get(tools);
  if (prefix === undefined) {
    prefix = [
      ...systemMessages(harness, tools),
      ...harness.examples.flatMap((example) => exampleMessages(harness, example, tools)),
    ];
    if (!prefixes.has(harness)) prefixes.set(harness, new WeakMap());
    prefixes.get(harness)?.set(tools, prefix);
  }
  return [...prefix, taskMessage(harness, task.problem, tools, task.fields)];
}

function systemMessages(harness: Harness, tools: readonly HarnessTool[]): ChatMessage[] {
  const template = harness.prompts.system ?? '';
  const parts = { skills: skillsOfPrompt(harness), facts: factsOfPrompt(harness) };
  const filled = fillTemplate(template, { tools: toolOffers(harness, tools), ...parts });
  const unplaced = Object.entries(parts).filter(([name]) => !hasField(template, name));
  const content = [filled, ...unplaced.map(([, text]) => text)].filter((text) => text !== '').join('\n\n');
  return content === '' ? [] : [{ role: 'system', content }];
}

function factsOfPrompt({ facts, memory }: Harness): string {
  return shownFacts(facts, memory.facts.tokens)
    .map((fact) => `- ${fact}`)
    .join('\n');
}

function toolOffers(harness: Harness, tools: readonly HarnessTool[]): string {
  const template = harness.prompts['tool-offer'] ?? '{{json}}';
  return tools
    .map(({ name, description, parameters }) =>
      fillTemplate(template, { json: spacedJson({ name, description, parameters }), name, description, parameters }),
    )
    .join('\n');
}

function exampleMessages(harness: Harness, example: HarnessExample, tools: readonly HarnessTool[]): ChatMessage[] {
  const turns = example.steps.flatMap(({ call, result, text }, index): ChatMessage[] => {
    if (call === undefined) return [{ role: 'assistant', content: text ?? '' }];
    if (harness.settings.protocol.dialect.kind === 'native') {
      return nativeExample(
        call,
        `${example.name}-${index}`,
        result === undefined ? '' : resultText(harness, call.tool, result),
      );
    }
    const written: ChatMessage = {
      role: 'assistant',
      content: renderCall(harness.settings.protocol.dialect, call, tools),
    };
    return result === undefined
      ? [written]
      : [written, resultMessage(harness, [resultText(harness, call.tool, result)])];
  });
  return [taskMessage(harness, example.problem, tools), ...turns];
}

function taskMessage(
  harness: Harness,
  problem: string,
  tools: readonly HarnessTool[],
  fields: Task['fields'] = {},
): ChatMessage {
  const content = fillTemplate(harness.prompts.task ?? '{{problem}}', {
    ...fields,
    problem,
    tools: toolOffers(harness, tools),
  });
  return { role: 'user', content };
}

/** What the model is shown of a tool's value. */
export function resultText(harness: Harness, tool: string, value: string): string {
  return fillTemplate(harness.prompts['tool-result'] ?? '{{result}}', { result: value, tool });
}

/** What the model is shown when a call could not be read, was refused or failed. `tool` is empty for a call that could not be read. */
export function errorText(harness: Harness, tool: string, problem: string): string {
  return fillTemplate(harness.prompts['error-feedback'] ?? 'Error: {{problem}}', { problem, tool });
}

/** The turn that answers one assistant turn: results and errors of its calls, in call order. */
function resultMessage(harness: Harness, texts: readonly string[]): ChatMessage {
  return { role: harness.settings.protocol.toolResultRole, content: texts.join('\n') };
}
