import type { AttributionLabel } from '../../critic/attribution.ts';
import type { ComponentKind } from '../../harness/harness.ts';

/** What is done to a field of φ, whatever the field holds. */
export const MUTATION_OPERATORS = [
  'delete',
  'empty',
  'swap',
  'rename',
  'shrink',
  'contradict',
  'duplicate',
  'reorder',
  'renumber',
  'truncate',
] as const;
export type MutationOperator = (typeof MUTATION_OPERATORS)[number];

/** Fields of the harness format that an operator can be let loose on, with the component they belong to and the cause they stand for. */
export const FIELD_CLASSES = {
  'prompt-text': { component: 'prompt', label: 'prompt_ambiguity' },
  'prompt-line': { component: 'prompt', label: 'prompt_ambiguity' },
  'prompt-field': { component: 'prompt', label: 'prompt_ambiguity' },
  example: { component: 'example', label: 'prompt_ambiguity' },
  tool: { component: 'tool', label: 'tool_schema_error' },
  'tool-name': { component: 'tool', label: 'tool_schema_error' },
  'tool-description': { component: 'tool', label: 'tool_schema_error' },
  'example-value': { component: 'example', label: 'prompt_ambiguity' },
  argument: { component: 'tool', label: 'tool_schema_error' },
  'argument-type': { component: 'tool', label: 'tool_schema_error' },
  'argument-description': { component: 'tool', label: 'tool_schema_error' },
  'argument-required': { component: 'tool', label: 'tool_schema_error' },
  'argument-enum': { component: 'tool', label: 'tool_schema_error' },
  'tool-backend': { component: 'tool', label: 'tool_schema_error' },
  'tool-output-limit': { component: 'tool', label: 'tool_schema_error' },
  dialect: { component: 'settings', label: 'tool_schema_error' },
  'dialect-mark': { component: 'settings', label: 'tool_schema_error' },
  skill: { component: 'skill', label: 'skill_missing' },
  'skill-text': { component: 'skill', label: 'skill_missing' },
  'skill-line': { component: 'skill', label: 'skill_missing' },
  turns: { component: 'settings', label: 'middleware_mismatch' },
  tokens: { component: 'settings', label: 'middleware_mismatch' },
  stop: { component: 'settings', label: 'middleware_mismatch' },
  'answer-source': { component: 'settings', label: 'middleware_mismatch' },
  'final-turn': { component: 'settings', label: 'middleware_mismatch' },
  'retry-count': { component: 'retry', label: 'middleware_mismatch' },
  middleware: { component: 'middleware', label: 'middleware_mismatch' },
  'middleware-option': { component: 'middleware', label: 'middleware_mismatch' },
  'memory-limit': { component: 'memory', label: 'memory_overflow' },
  'stale-limit': { component: 'memory', label: 'memory_overflow' },
  facts: { component: 'memory', label: 'memory_overflow' },
  'fact-line': { component: 'memory', label: 'memory_overflow' },
  'fact-limit': { component: 'memory', label: 'memory_overflow' },
} as const satisfies Record<string, { component: ComponentKind; label: AttributionLabel }>;
export type FieldClass = keyof typeof FIELD_CLASSES;

/** A way to break φ: an operator on a class of fields, so that the truth is the mutated component and nobody's story. */
export interface GenericKind {
  operator: MutationOperator;
  field: FieldClass;
}

/** A break that somebody thought of; the truth is stated. */
export interface HandMadeKind {
  name: string;
  label: AttributionLabel;
  component: ComponentKind;
  /** What is done, in one sentence. */
  what: string;
}

/** Kinds of one split. Held-out ones were chosen and committed before anything that reads them, and are not looked at while rules are written. */
export interface FaultKinds {
  generic: readonly GenericKind[];
  handMade: readonly HandMadeKind[];
}
