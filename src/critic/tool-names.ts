import type { Harness } from '../harness/harness.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { eventsOf } from './event-evidence.ts';

/** Names of the tools of φ and of those that the first request offers as JSON (a task may bring its own), without repeats. */
export function toolNames(trajectory: Trajectory, harness: Harness): string[] {
  const first = eventsOf(trajectory, 'model-called').find((event) => event.turnKind === 'working');
  const sent = (first?.messages ?? [])
    .filter(({ role }) => role === 'system' || role === 'user')
    .map(({ content }) => content);
  const offered = sent.flatMap((content) =>
    [...content.matchAll(/"name":\s*"([^"\n]{1,100})"/g)].map((match) => match[1] ?? ''),
  );
  return [...new Set([...harness.tools.map((tool) => tool.name), ...offered])];
}
