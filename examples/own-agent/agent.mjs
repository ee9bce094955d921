// A small agent of one's own, written with the AI SDK. What of it shall evolve, it reads from φ's folder: here the system prompt.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText } from 'ai';

const { task, harness, model, limits } = JSON.parse(await text(process.stdin));
const provider = createOpenAICompatible({ name: 'co-harness', baseURL: model.url, apiKey: model.token });
const instructions = await readFile(join(harness, 'prompts', 'system.md'), 'utf8');

/** The agent's only tool: whole-number sums and products, asked for by a line such as `SUM 3 4` or `PRODUCT 3 4`. */
function use(line) {
  const [, name, a, b] = /^(SUM|PRODUCT) (-?\d+) (-?\d+)$/m.exec(line) ?? [];
  if (name === undefined) return null;
  return { name, a, b, value: String(name === 'SUM' ? BigInt(a) + BigInt(b) : BigInt(a) * BigInt(b)) };
}

const messages = [{ role: 'user', content: task.problem }];
const trajectory = [];
let answer = null;
for (let turn = 0; turn < limits.turns && answer === null; turn++) {
  const reply = await generateText({ model: provider(model.name), instructions, messages, maxRetries: 0 });
  const call = use(reply.text);
  if (call === null) {
    answer = reply.text.trim();
    trajectory.push({ role: 'assistant', content: reply.text });
    continue;
  }
  const { name, a, b, value } = call;
  const id = `call-${turn}`;
  const called = { id, type: 'function', function: { name, arguments: JSON.stringify({ a, b }) } };
  trajectory.push({ role: 'assistant', content: reply.text, tool_calls: [called] });
  trajectory.push({ role: 'tool', tool_call_id: id, content: value });
  messages.push({ role: 'assistant', content: reply.text }, { role: 'user', content: `Result: ${value}` });
}
process.stdout.write(JSON.stringify({ answer, trajectory }));
