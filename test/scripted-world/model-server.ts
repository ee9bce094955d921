import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChatMessage } from '../../src/model/model-backend.ts';
import { reply } from './scripted-world.ts';

export interface LocalServer {
  /** For `model.source`, without the model's name. */
  url: string;
  requests: () => number;
  close(): void;
}

/** An HTTP server on 127.0.0.1 at a free port. */
export async function listen(handler: RequestListener): Promise<LocalServer> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests++;
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests: () => requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A model behind an OpenAI-compatible server: what `reply` says to the messages of a request. */
export function chatServer(
  reply: (request: { messages: ChatMessage[]; seed?: number; temperature?: number }) => string | Promise<string>,
): Promise<LocalServer> {
  return listen(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const content = await reply(JSON.parse(text));
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        model: 'scripted',
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
        usage: { prompt_tokens: text.length, completion_tokens: content.length },
      }),
    );
  });
}

/** The model of the scripted world behind an OpenAI-compatible server. */
export function scriptedModelServer(): Promise<LocalServer> {
  return chatServer(({ messages, temperature = 0, seed = 0 }) =>
    reply({ messages, sampling: { temperature, topP: 1, topK: 0 }, seed }, false),
  );
}

/** The answer to a problem of the scripted world; null for any other text. */
export function sumIn(text: string): number | null {
  const numbers = /what do (\d+) and (\d+) make/.exec(text);
  return numbers === null ? null : Number(numbers[1]) + Number(numbers[2]);
}
