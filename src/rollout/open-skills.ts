import { linearPattern } from '../base/linear-pattern.ts';
import { nearest } from '../base/nearest.ts';
import type { Harness } from '../harness/harness.ts';
import { houseBackend, toolsOfHarness } from '../harness/house-tools.ts';
import type { EventLog } from './event-log.ts';
import type { HouseTools } from './house-tools.ts';
import { ToolError } from './tools/tool-error.ts';

/** What every system prompt of φ shows of its skills: those that are always loaded, and the names of those that can be called. */
export function skillsOfPrompt(harness: Harness): string {
  const always = harness.skills.filter(({ load }) => load === 'always').map(({ text }) => text);
  const callable = harness.skills.filter(({ load }) => load === 'call');
  if (callable.length === 0) return always.join('\n\n');
  const tool = toolsOfHarness(harness).find((offered) => houseBackend(offered) === 'load_skill')?.name ?? 'load_skill';
  const list = callable.map(({ name, description }) =>
    description === '' ? `- ${name}` : `- ${name}: ${description}`,
  );
  return [...always, `Skills you can read with ${tool}:\n${list.join('\n')}`].join('\n\n');
}

/** Skills of one pass: those whose rule fits the problem, and the tool by which the model loads others. */
export interface OpenSkills {
  /** Shown with the task; empty when no rule fits. */
  text: string;
  tools: HouseTools;
}

export function openSkills(harness: Harness, problem: string, log: EventLog): OpenSkills {
  const fitting = harness.skills.filter(({ when }) => when !== null && linearPattern(when)(problem));
  for (const { name } of fitting) log.record({ type: 'skill-loaded', turn: 0, skill: name, by: 'rule' });
  const load = (asked: string, turn: number): string => {
    const [name = '', ...path] = asked.trim().split('/');
    const skill = harness.skills.find((known) => known.name === name && known.load === 'call');
    if (skill === undefined) throw new ToolError('unknown-skill', unknownSkill(harness, name));
    const text = path.length === 0 ? skill.text : skill.files.get(path.join('/'));
    if (text === undefined) {
      const known = [...skill.files.keys()].map((file) => `${name}/${file}`);
      throw new ToolError('unknown-file', `there is no file "${asked}" (known: ${known.join(', ') || 'none'})`);
    }
    log.record({ type: 'skill-loaded', turn, skill: asked.trim(), by: 'call' });
    return text;
  };
  return { text: fitting.map(({ text }) => text).join('\n\n'), tools: { load_skill: load } };
}

function unknownSkill(harness: Harness, name: string): string {
  const known = harness.skills.filter(({ load }) => load === 'call').map((skill) => skill.name);
  const near = nearest(name, known);
  return `there is no skill "${name}"${near === undefined ? '' : `, did you mean "${near}"?`} (known: ${known.join(', ')})`;
}
