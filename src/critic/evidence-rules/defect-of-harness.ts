import { contentHash } from '../../base/content-hash.ts';
import type { Harness } from '../../harness/harness.ts';
import type { Trajectory } from '../../trajectory/trajectory.ts';
import type { Diagnosis } from '../attribution.ts';
import { evidence } from '../event-evidence.ts';
import type { EvidenceRule } from '../evidence-rule.ts';
import type { HarnessDefect } from '../harness-defects/harness-defect.ts';
import { harnessDefects } from '../harness-defects/harness-defects.ts';
import { factsOfHarness } from '../harness-facts/facts-of-harness.ts';
import { firstRequest } from '../sent-text.ts';

/**
 * The surest defect of φ itself that touches this rollout, of at least `least` confidence. It names label and place itself, so it is a rule for all
 * labels.
 */
export function defectOfHarness(name: string, least: number): EvidenceRule {
  return {
    name,
    label: 'prompt_ambiguity',
    diagnose: (trajectory, harness) => {
      const defect = harnessDefects(factsOfHarness(harness)).find(
        ({ confidence, about }) => confidence >= least && touches(trajectory, about),
      );
      return defect === undefined ? null : diagnosisOf(defect, trajectory, harness);
    },
  };
}

function diagnosisOf(defect: HarnessDefect, trajectory: Trajectory, harness: Harness): Diagnosis | null {
  const { label, component, path, mechanism, explanation, confidence, repair } = defect;
  const anchor = firstRequest(trajectory) ?? trajectory.events[0];
  if (anchor === undefined) return null;
  return {
    rollout: contentHash(trajectory.identity),
    label,
    component,
    path,
    mechanism,
    explanation,
    severity: 0.9,
    confidence,
    evidence: defect.quotes.map(({ path: place, quote }) => evidence(anchor, `${place}: ${quote}`)),
    ...(repair === null || !applies(harness, repair) ? {} : { repair }),
  };
}

/** A repair that names a place φ does not have is no repair. */
function applies(harness: Harness, repair: NonNullable<HarnessDefect['repair']>): boolean {
  return repair.every(({ path }) => harness.files.has(path.split('#')[0] ?? ''));
}

/** Whether requests or replies of a rollout mention what a defect is about; one about nothing in particular touches all. */
function touches(trajectory: Trajectory, about: readonly string[]): boolean {
  if (about.length === 0) return true;
  return trajectory.events.some((event) => {
    if (event.type === 'model-called')
      return about.some(
        (word) =>
          event.text.includes(word) ||
          event.messages.some(({ content }) => content.toLowerCase().includes(word.toLowerCase())),
      );
    return 'call' in event && about.some((word) => JSON.stringify(event.call).includes(word));
  });
}
