/** Field by which a prompt is known: without it the prompt does not do its work. Prompts that are not here can do without any. */
export const OWN_FIELD = {
  system: 'tools',
  task: 'problem',
  'tool-result': 'result',
  'error-feedback': 'problem',
  summary: 'dropped',
} as const;
