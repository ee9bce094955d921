// What a user of the AI SDK would write; address and key come from the test.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';

const { CO_HARNESS_TEST_SERVER: baseURL = '', CO_HARNESS_TEST_KEY: apiKey = '' } = process.env;
export default createOpenAICompatible({ name: 'mine', baseURL, apiKey })('judge');
export const windowTokens = 9000;
