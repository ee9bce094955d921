import type { ComponentKind } from '../../harness/harness.ts';
import type { AttributionLabel } from '../attribution.ts';
import { nameWords } from './harness-facts.ts';

const KINDS: readonly [ComponentKind, readonly string[]][] = [
  [
    'middleware',
    [
      'middleware',
      'middlewares',
      'hook',
      'hooks',
      'interceptor',
      'interceptors',
      'filter',
      'filters',
      'guard',
      'guards',
      'guardrails',
      'plugin',
      'plugins',
      'postprocess',
      'postprocessor',
      'preprocess',
      'preprocessor',
      'callbacks',
      'pipeline',
      'wrapper',
      'wrappers',
      'listener',
      'listeners',
      'extensions',
      'sanitizer',
      'sanitizers',
      'validators',
      'postprocessing',
      'preprocessing',
      'transforms',
    ],
  ],
  [
    'memory',
    [
      'memory',
      'memories',
      'history',
      'context',
      'scratchpad',
      'summary',
      'summarizer',
      'summarization',
      'summarisation',
      'cache',
      'retrieval',
      'retriever',
      'buffer',
      'notes',
      'recall',
      'window',
      'compaction',
      'ttl',
      'embedding',
      'vector',
      'state',
      'store',
      'stores',
      'conversation',
      'session',
      'sessions',
      'rag',
      'retention',
      'notebook',
      'blackboard',
      'archive',
      'knowledge',
    ],
  ],
  ['retry', ['retry', 'retries', 'backoff', 'attempts', 'reattempt', 'resilience', 'error', 'errors', 'failures']],
  [
    'tool',
    [
      'tool',
      'tools',
      'function',
      'functions',
      'api',
      'apis',
      'action',
      'actions',
      'schema',
      'schemas',
      'backend',
      'backends',
      'dialect',
      'endpoint',
      'endpoints',
      'toolbox',
      'toolset',
      'toolkit',
      'capability',
      'capabilities',
      'commands',
      'operations',
      'abilities',
    ],
  ],
  [
    'skill',
    [
      'skill',
      'skills',
      'playbook',
      'playbooks',
      'routine',
      'routines',
      'recipe',
      'recipes',
      'procedure',
      'procedures',
      'workflow',
      'workflows',
      'planner',
      'macros',
      'subagents',
      'library',
      'runbook',
      'runbooks',
      'manual',
      'manuals',
      'knowhow',
      'howto',
      'guides',
      'checklist',
      'checklists',
      'sop',
      'sops',
      'strategies',
    ],
  ],
  ['example', ['example', 'examples', 'shots', 'fewshot', 'demonstrations', 'demos', 'exemplars']],
  [
    'prompt',
    [
      'prompt',
      'prompts',
      'system',
      'instruction',
      'instructions',
      'persona',
      'guidelines',
      'rules',
      'template',
      'templates',
      'policy',
      'preamble',
      'message',
      'messages',
      'role',
      'sys',
      'directive',
      'directives',
      'directions',
      'brief',
      'briefing',
      'mandate',
      'charter',
      'mission',
      'guidance',
      'identity',
    ],
  ],
];

/** The kind of component that a place of a free harness belongs to, by the words of its path, outermost first; `settings` when none tells. */
export function componentOfPointer(pointer: string): ComponentKind {
  for (const segment of pointer.split('/')) {
    const words = nameWords(segment);
    const kind = KINDS.find(([, names]) => words.some((word) => names.includes(word)));
    if (kind === undefined) continue;
    // `max_tool_calls` or `tool_timeout` outside the tools limits the loop, not a tool.
    if (
      kind[0] === 'tool' &&
      words.some((word) =>
        ['max', 'limit', 'timeout', 'steps', 'calls', 'retries', 'retry', 'choice', 'parallel'].includes(word),
      )
    )
      continue;
    return kind[0];
  }
  return 'settings';
}

/** The cause that a component kind stands for. */
export function labelOfComponent(component: ComponentKind): AttributionLabel {
  switch (component) {
    case 'prompt':
    case 'example':
      return 'prompt_ambiguity';
    case 'tool':
      return 'tool_schema_error';
    case 'skill':
      return 'skill_missing';
    case 'memory':
      return 'memory_overflow';
    default:
      return 'middleware_mismatch';
  }
}
