import { harnessDefects } from '../harness-defects/harness-defects.ts';
import { type CaseRule, type Clue, harnessEvent, quoteOf, repairsOf } from './case-rule.ts';

/** What cannot be meant so in the harness itself. */
export const harnessDefectClues: CaseRule = {
  name: 'harness-defect',
  clues: ({ facts, failing, harness }) =>
    harnessDefects(facts).map(
      ({ label, component, path, mechanism, explanation, confidence, quotes, repair }): Clue => {
        const [run] = failing;
        return {
          label,
          component,
          path,
          mechanism,
          explanation,
          weight: 3 * confidence ** 2,
          evidence: run === undefined ? [] : quotes.map((place) => quoteOf(harnessEvent(run, place.path), place.quote)),
          repair: repair === null ? null : repairsOf(repair, harness),
        };
      },
    ),
};
