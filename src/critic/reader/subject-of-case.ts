import { canonicalJson } from '../../base/content-hash.ts';
import { pointerStep } from '../../base/json-pointer.ts';
import type { Case, CaseRun } from '../cases/case.ts';
import type { CriticSubject, SubjectLine, SubjectPart } from './critic-subject.ts';

/** A case of others as a subject: the harness of its first failing run, where other runs' harnesses differ, then the runs, failing ones first. */
export function subjectOfCase({ id, problem, runs }: Case): CriticSubject {
  const ordered = [...runs].sort((a, b) => Number(a.passed === true) - Number(b.passed === true));
  const [first] = ordered;
  return { id, problem, parts: [harnessPart(first), ...ordered.map((run) => runPart(run, first))] };
}

function harnessPart(run: CaseRun | undefined): SubjectPart {
  const harness = run?.harness;
  if (run === undefined || harness === null || harness === undefined)
    return { title: 'Harness', lines: [{ event: '', text: '(not given)' }] };
  if (typeof harness !== 'object')
    return { title: 'Harness', lines: [{ event: `${run.place}/harness`, text: String(harness) }] };
  return { title: 'Harness (paths are JSON pointers)', lines: memberLines(harness, `${run.place}/harness`, '') };
}

/** One line a member of the outer two levels, so that long prompts and tool lists can be cut one by one. */
function memberLines(value: object, place: string, path: string): SubjectLine[] {
  return Object.entries(value).flatMap(([key, member]): SubjectLine[] => {
    const pointer = `${path}${pointerStep(key)}`;
    const isDeep =
      typeof member === 'object' &&
      member !== null &&
      pointer.split('/').length <= 3 &&
      JSON.stringify(member).length > 200;
    if (isDeep) return memberLines(member, place, pointer);
    return [{ event: `${place}${pointer}`, text: typeof member === 'string' ? member : JSON.stringify(member) }];
  });
}

function runPart(run: CaseRun, first: CaseRun | undefined): SubjectPart {
  const isOther =
    first !== undefined && run !== first && canonicalJson(run.harness ?? null) !== canonicalJson(first.harness ?? null);
  return {
    title: `Run ${run.place} (${run.passed === true ? 'passed' : run.passed === false ? 'failed' : 'outcome unknown'})`,
    lines: [
      { event: `${run.place}/task`, text: `task: ${run.task}` },
      ...(isOther
        ? [{ event: `${run.place}/harness`, text: `its harness differs: ${JSON.stringify(run.harness)}` }]
        : []),
      ...run.steps.map(({ event, role, content, calls, hasNativeCalls }) => ({
        event,
        text: `${role}: ${content}${hasNativeCalls ? ` ${calls.map((call) => `call ${call.tool} ${JSON.stringify(call.arguments)}`).join('; ')}` : ''}`,
      })),
      { event: `${run.place}/outcome`, text: `outcome: ${run.outcome}` },
    ],
  };
}
