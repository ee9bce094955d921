import { present, valueEdit } from '../../../patch/harness-edits.ts';
import { filler, firstSkill, type HandMade, withLine } from '../mutation/hand-made.ts';
import { LAB_WINDOW_TOKENS } from '../scenarios/lab-scenario.ts';

/** The hand-made development kinds, by name. */
export const DEVELOPMENT_BREAKS: Readonly<Record<string, HandMade>> = {
  'answer in words': ({ harness }) => {
    if (harness.settings.answer.from === 'tool') return null;
    const system = harness.prompts.system ?? '';
    const changed = system.replace(/reply with: .*$/m, 'reply with the number in words.');
    const text = changed === system ? `${system}\nWhen you are done, reply with the number in words.` : changed;
    return [{ path: 'prompts/system.md', old: system, value: `${text}\n` }];
  },
  'two answer formats': ({ harness }) =>
    harness.settings.answer.from === 'tool' ? null : withLine(harness, 'Always reply with the number in words.'),
  'argument as JSON text': ({ harness }) => {
    const tool = harness.tools.find(({ backend }) => backend.kind === 'builtin');
    if (tool === undefined) return null;
    const description = `${tool.description} The argument is a JSON text that describes the task.`;
    return present([valueEdit(harness, `tools/${tool.name}/tool.yaml`, '/description', description)]);
  },
  'routine for another case': ({ harness }) => {
    const path = firstSkill(harness);
    if (path === null) return null;
    const value = 'To plan a journey:\n1. Choose the month.\n2. Book the ferry before the hotel.\n3. Pack light.\n';
    return [{ path, old: harness.files.get(path), value }];
  },
  'stop at the line end': ({ harness }) => present([valueEdit(harness, 'harness.yaml', '/protocol/stop', ['\n'])]),
  'reminder that ends the work': ({ harness }) =>
    harness.settings.limits.turns < 4 || harness.settings.answer.from === 'tool'
      ? null
      : [
          {
            path: 'middleware/90-reminder.yaml',
            value: `kind: budget-reminder\noptions: { turns: ${harness.settings.limits.turns - 2}, message: "Give the final answer now." }\n`,
          },
        ],
  'check that no answer passes': ({ harness }) =>
    harness.settings.answer.from === 'tool'
      ? null
      : [{ path: 'middleware/90-check.yaml', value: 'kind: self-check\noptions: { pattern: "^Sum: ", asks: 3 }\n' }],
  'facts of another case': ({ harness }) => {
    const old = harness.files.get('memory/facts.md');
    const value = 'The ferry leaves at nine.\nTwins travel at half the fare.\nDogs need a ticket of their own.\n';
    return old === undefined ? null : [{ path: 'memory/facts.md', old, value }];
  },
  'history of two exchanges': ({ harness }) =>
    harness.memory.historyTokens === null ? null : present([valueEdit(harness, 'memory.yaml', '/historyTokens', 85)]),
  'examples fill the window': () => [
    {
      path: 'examples/90-long.yaml',
      value: `problem: ${JSON.stringify(filler(LAB_WINDOW_TOKENS))}\nsteps:\n  - text: I do not know.\n`,
    },
  ],
};
