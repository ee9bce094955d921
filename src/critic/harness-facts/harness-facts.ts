import type { ComponentKind } from '../../harness/harness.ts';
import type { ToolCall } from '../../trajectory/trajectory.ts';

/** A text of φ with its place: a patch path for our own format, a JSON pointer for a harness of somebody else. */
export interface FactText {
  path: string;
  /** Last part of the place, e.g. `system`. */
  name: string;
  text: string;
}

export interface FactTool {
  path: string;
  name: string;
  /** Where the name stands or would stand; null where it is a key, which no edit of a value changes. */
  namePath: string | null;
  /** Whether the name stands at `namePath`; otherwise it comes from elsewhere, such as the tool's folder. */
  isNamed: boolean;
  description: string;
  /** Where the description stands or would stand. */
  descriptionPath: string;
  /** JSON Schema of the arguments; null where none is given. */
  parameters: Record<string, unknown> | null;
  parametersPath: string;
}

/** A worked example: what it says as text, and the calls it shows. */
export interface FactExample {
  path: string;
  problem: string;
  text: string;
  calls: ToolCall[];
}

/** Any other scalar of φ: limits, switches, retry counts. */
export interface FactSetting {
  path: string;
  /** Words of its path in lower case, `maxToolSteps` → max, tool, steps. */
  words: string[];
  value: string | number | boolean | null;
  component: ComponentKind;
}

/** What rules look at in φ, whoever's format it is written in. Everything in document order. */
export interface HarnessFacts {
  prompts: FactText[];
  tools: FactTool[];
  examples: FactExample[];
  skills: FactText[];
  settings: FactSetting[];
}

/** Words of a name in any common spelling, in lower case. */
export function nameWords(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
}
