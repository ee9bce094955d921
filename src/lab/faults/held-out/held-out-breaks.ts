import { fileEdit, present, valueEdit } from '../../../patch/harness-edits.ts';
import { filler, firstSkill, type HandMade, withLine } from '../mutation/hand-made.ts';
import { LAB_WINDOW_TOKENS } from '../scenarios/lab-scenario.ts';

/** The hand-made held-out kinds, by name. */
export const HELD_OUT_BREAKS: Readonly<Record<string, HandMade>> = {
  'tool for large numbers only': ({ harness }) =>
    withLine(harness, 'Use the tool only for numbers of more than three digits.'),
  'estimate first': ({ harness }) => withLine(harness, 'Begin with an estimate before you do anything else.'),
  'enum in capitals': ({ harness }) => {
    const edits = harness.tools.flatMap((tool) =>
      Object.entries((tool.parameters.properties ?? {}) as Record<string, { enum?: string[] }>).flatMap(
        ([name, schema]) =>
          schema.enum === undefined
            ? []
            : present([
                valueEdit(
                  harness,
                  `tools/${tool.name}/tool.yaml`,
                  `/parameters/properties/${name}/enum`,
                  schema.enum.map((value) => value.slice(0, 1).toUpperCase()),
                ),
              ]),
      ),
    );
    return edits.length === 0 ? null : edits;
  },
  'required but not described': ({ harness }) => {
    const [tool] = harness.tools;
    if (tool === undefined) return null;
    const required = [...((tool.parameters.required ?? []) as string[]), 'mode'];
    return present([valueEdit(harness, `tools/${tool.name}/tool.yaml`, '/parameters/required', required)]);
  },
  'operators as words': ({ harness }) => {
    const tool = harness.tools.find(({ backend }) => backend.kind === 'builtin');
    if (tool === undefined) return null;
    const description = `${tool.description} For example: 3 plus 4 times 2`;
    return present([valueEdit(harness, `tools/${tool.name}/tool.yaml`, '/description', description)]);
  },
  'routine names only its goal': ({ harness }) => {
    const path = firstSkill(harness);
    return path === null ? null : present([fileEdit(harness, path, 'Do the work carefully and get it right.\n')]);
  },
  'routine with a wrong factor': ({ harness }) => {
    const path = [...harness.files.keys()].find(
      (file) => file.startsWith('skills/') && /\b\d{2,}\b/.test(harness.files.get(file) ?? ''),
    );
    if (path === undefined) return null;
    const text = harness.files.get(path) ?? '';
    const changed = text.replace(/\b(?:add|by|holds) (\d+)/g, (words, number: string) =>
      words.replace(number, String(Number(number) + 2)),
    );
    return present([fileEdit(harness, path, changed)]);
  },
  'tokens for a call but not for its end': (scenario) => {
    const call = scenario.task(0).reference?.calls[0];
    if (call === undefined) return null;
    // The marks of the dialect and the names around the arguments.
    const around = scenario.harness.settings.protocol.dialect.kind === 'json' ? 0 : 10;
    const length = JSON.stringify({ name: call.tool, arguments: call.arguments }).length + around;
    return present([valueEdit(scenario.harness, 'harness.yaml', '/limits/tokensPerTurn', length - 6)]);
  },
  'stop string of the answer': ({ harness, task }) => {
    const mark = /^\D+(?=\d)/.exec(task(0).reference?.text ?? '')?.[0].trim();
    return mark === undefined ? null : present([valueEdit(harness, 'harness.yaml', '/protocol/stop', [mark])]);
  },
  'handbook in the system prompt': ({ harness }) => withLine(harness, filler(LAB_WINDOW_TOKENS)),
  'routine that fills the window': ({ harness }) => {
    const path = firstSkill(harness);
    if (path === null) return null;
    return present([fileEdit(harness, path, `${harness.files.get(path)}${filler(LAB_WINDOW_TOKENS)}\n`)]);
  },
  'history of one exchange': ({ harness }) =>
    harness.memory.historyTokens === null ? null : present([valueEdit(harness, 'memory.yaml', '/historyTokens', 45)]),
};
