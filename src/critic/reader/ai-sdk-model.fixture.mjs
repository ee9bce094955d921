// What a user of the AI SDK would write; the address comes from the test.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';

const provider = createOpenAICompatible({
  name: 'mine',
  baseURL: process.env.CO_HARNESS_TEST_SERVER ?? '',
  apiKey: 'k',
});
export default provider('judge');
export const windowTokens = 9000;
