import { eventsOf, evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';
import { toolFile } from '../harness-facts/facts-of-harness.ts';
import { propertiesOf } from '../harness-facts/schema-members.ts';

/**
 * A call gives every argument that its tool has, all from the task, and one value of the task is in none of them: the schema has no argument for it.
 */
export const valueWithoutArgument = evidenceRule(
  'value-without-argument',
  'tool_schema_error',
  (trajectory, harness) => {
    const returned = eventsOf(trajectory, 'tool-returned');
    const given = returned.flatMap(({ call }) => Object.values(call.arguments).map(String));
    const left = taskValues(trajectory.problem).filter((value) => !given.some((argument) => argument.includes(value)));
    const [call] = returned;
    const tool = harness.tools.find(({ name }) => name === call?.call.tool);
    if (call === undefined || tool === undefined || left.length !== 1) return null;
    const names = Object.keys(propertiesOf(tool.parameters));
    const isFilled = names.length > 0 && names.every((name) => name in call.call.arguments);
    const text = trajectory.problem.toLowerCase();
    const isTaken = given.every((argument) => text.includes(argument.toLowerCase()));
    if (!isFilled || !isTaken) return null;
    return {
      component: 'tool',
      path: `${toolFile(harness, tool.name)}#/parameters/properties`,
      explanation: `The task says "${left[0]}", and ${tool.name} has no argument left that could take it.`,
      severity: 0.9,
      confidence: 0.7,
      evidence: [evidence(call, `${tool.name}(${JSON.stringify(call.call.arguments)}), task: ${trajectory.problem}`)],
    };
  },
);

/** Numbers and names of a task: what a call would have to carry over. Words that begin a sentence are no names. */
function taskValues(problem: string): string[] {
  return [...new Set(problem.match(/\b\d[\d.,]*\d\b|\b\d\b|(?<=[\p{Ll},] )\p{Lu}[\p{L}-]+/gu) ?? [])];
}
