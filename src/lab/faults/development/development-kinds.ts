import type { FaultKinds } from '../fault-kind.ts';

/** Kinds that rules may be written against. */
export const DEVELOPMENT_KINDS: FaultKinds = {
  generic: [
    { operator: 'delete', field: 'prompt-line' },
    { operator: 'empty', field: 'prompt-text' },
    { operator: 'rename', field: 'prompt-field' },
    { operator: 'delete', field: 'example' },
    { operator: 'delete', field: 'argument' },
    { operator: 'swap', field: 'argument-type' },
    { operator: 'empty', field: 'tool-description' },
    { operator: 'shrink', field: 'tool-output-limit' },
    { operator: 'swap', field: 'dialect' },
    { operator: 'delete', field: 'skill' },
    { operator: 'shrink', field: 'skill-text' },
    { operator: 'shrink', field: 'turns' },
    { operator: 'swap', field: 'answer-source' },
    { operator: 'empty', field: 'retry-count' },
    { operator: 'shrink', field: 'memory-limit' },
  ],
  handMade: [
    {
      name: 'answer in words',
      label: 'prompt_ambiguity',
      component: 'prompt',
      what: 'The system prompt asks for the answer in words where digits are checked.',
    },
    {
      name: 'two answer formats',
      label: 'prompt_ambiguity',
      component: 'prompt',
      what: 'A second sentence asks for another form of the answer than the first.',
    },
    {
      name: 'argument as JSON text',
      label: 'tool_schema_error',
      component: 'tool',
      what: 'A description asks for the argument as a JSON text that the back end does not read.',
    },
    {
      name: 'routine for another case',
      label: 'skill_missing',
      component: 'skill',
      what: 'The routine is exchanged for one that fits other tasks.',
    },
    {
      name: 'stop at the line end',
      label: 'middleware_mismatch',
      component: 'settings',
      what: 'A stop string ends every turn at its first line end.',
    },
    {
      name: 'history of two exchanges',
      label: 'memory_overflow',
      component: 'memory',
      what: 'The history limit leaves room for two exchanges.',
    },
    {
      name: 'examples fill the window',
      label: 'memory_overflow',
      component: 'example',
      what: 'So many worked examples are shown that no room is left for a reply.',
    },
  ],
};
