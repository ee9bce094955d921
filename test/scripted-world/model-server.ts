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

/** The model of the scripted world behind an OpenAI-compatible server. */
export function scriptedModelServer(): Promise<LocalServer> {
  return listen(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text) as { messages: ChatMessage[]; seed?: number; temperature?: number };
    const sampling = { temperature: body.temperature ?? 0, topP: 1, topK: 0 };
    const content = reply({ messages: body.messages, sampling, seed: body.seed ?? 0 }, false);
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
