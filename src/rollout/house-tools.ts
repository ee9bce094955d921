import type { HouseBackend } from '../harness/house-tools.ts';

/** Acts of the loop itself, by back end: `text` is the call's only text argument. Throws ToolError for what the model did wrong. */
export type HouseTools = Partial<Readonly<Record<HouseBackend, (text: string, turn: number) => string>>>;
