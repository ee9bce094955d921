import { z } from 'zod';
import { isRecord } from '../../base/is-record.ts';
import { jsonValue } from '../../base/json.ts';
import type { EventBody } from '../event-log.ts';

/** What a program says at its end: the answer, and if it can what it did, as ATIF steps or chat messages. */
export interface ProgramAnswer {
  answer: string | null;
  /** Tool calls and their results by model call (0, 1, …), in order. */
  steps: readonly (readonly EventBody[])[];
}

const content = z
  .union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))])
  .nullish()
  .transform((value) => (Array.isArray(value) ? value.map(({ text }) => text ?? '').join('') : (value ?? '')));
const chatMessage = z.looseObject({
  role: z.string(),
  content,
  tool_calls: z
    .array(
      z.looseObject({
        id: z.string().default(''),
        function: z.looseObject({ name: z.string(), arguments: z.unknown() }),
      }),
    )
    .nullish(),
  tool_call_id: z.string().nullish(),
});
const atifStep = z.looseObject({
  source: z.string(),
  tool_calls: z
    .array(z.looseObject({ tool_call_id: z.string().default(''), function_name: z.string(), arguments: z.unknown() }))
    .nullish(),
  observation: z
    .looseObject({ results: z.array(z.looseObject({ source_call_id: z.string().nullish(), content })).nullish() })
    .nullish(),
});
const answerSchema = z.looseObject({
  answer: z
    .union([z.string(), z.number(), z.boolean()])
    .nullable()
    .transform((value) => (value === null ? null : String(value))),
  trajectory: z.union([z.array(chatMessage), z.looseObject({ steps: z.array(atifStep) })]).optional(),
});

/** Text that a program printed → its answer: the whole text, else its last line that is such an object. A string says what is wrong. */
export function readProgramAnswer(text: string): ProgramAnswer | string {
  const lines = text.trim().split('\n');
  for (const candidate of [text, lines.at(-1) ?? '']) {
    const checked = answerSchema.safeParse(jsonValue(candidate));
    if (checked.success) return { answer: checked.data.answer, steps: stepsOf(checked.data.trajectory) };
  }
  const shown = text.trim() === '' ? 'nothing' : JSON.stringify(text.trim().slice(-300));
  return `the program printed ${shown}, expected {"answer": TEXT, "trajectory"?: ATIF or chat messages}`;
}

function stepsOf(trajectory: z.output<typeof answerSchema>['trajectory']): EventBody[][] {
  if (trajectory === undefined) return [];
  return Array.isArray(trajectory) ? ofMessages(trajectory) : ofAtif(trajectory.steps);
}

function ofMessages(messages: z.output<typeof chatMessage>[]): EventBody[][] {
  const steps: EventBody[][] = [];
  for (const message of messages) {
    if (message.role === 'assistant') {
      const calls = (message.tool_calls ?? []).map(({ id, function: called }) => ({
        id,
        name: called.name,
        args: called.arguments,
      }));
      const results = messages.filter(
        ({ role, tool_call_id }) => role === 'tool' && calls.some(({ id }) => id === tool_call_id),
      );
      const texts = results.map((result): [string, string] => [result.tool_call_id ?? '', result.content]);
      steps.push(eventsOf(steps.length, calls, texts));
    }
  }
  return steps;
}

function ofAtif(all: z.output<typeof atifStep>[]): EventBody[][] {
  return all
    .filter(({ source }) => source === 'agent')
    .map((step, turn) => {
      const calls = (step.tool_calls ?? []).map((call) => ({
        id: call.tool_call_id,
        name: call.function_name,
        args: call.arguments,
      }));
      const results = step.observation?.results ?? [];
      const texts = results.map((result, index): [string, string] => [
        result.source_call_id ?? calls[index]?.id ?? '',
        result.content,
      ]);
      return eventsOf(turn, calls, texts);
    });
}

function eventsOf(
  turn: number,
  calls: readonly { id: string; name: string; args: unknown }[],
  results: readonly [id: string, text: string][],
): EventBody[] {
  const texts = new Map(results);
  return calls.flatMap(({ id, name, args }): EventBody[] => {
    const given = typeof args === 'string' ? jsonValue(args) : args;
    const raw = typeof args === 'string' ? args : JSON.stringify(args ?? {});
    if (!isRecord(given)) {
      return [{ type: 'call-unreadable', turn, raw, problem: `the arguments of ${name} are not a JSON object` }];
    }
    const call = { tool: name, arguments: given };
    const value = texts.get(id);
    return [
      { type: 'call-parsed', turn, call, raw },
      ...(value === undefined ? [] : [{ type: 'tool-returned' as const, turn, call, value }]),
    ];
  });
}
