import type { ToolCall } from '../../../trajectory/trajectory.ts';

/** What the actor wants to do next, before it is written down as the request says. */
export type Move =
  | { kind: 'calls'; calls: readonly ToolCall[] /** What it would say if it had no tool. */; guess: string }
  | { kind: 'answer'; value: string }
  | { kind: 'lost'; text: string };
