import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { chanceToHold } from './chance-to-hold.ts';
import { driftCheck } from './drift-check.ts';

const REQUEST = { groups: 300, tasksPerGroup: 1, discordance: 0.06, alpha: 0.05, margin: 0.05, lead: 0 };

describe('chanceToHold', () => {
  it('is how often an audit then shows it, where scores differ as often as was expected', () => {
    const random = seededRandom(77);
    const audits = 300;
    let shown = 0;
    for (let audit = 0; audit < audits; audit++) {
      const differences = Array.from({ length: REQUEST.groups }, () =>
        random.next() < REQUEST.discordance ? (random.next() < 0.5 ? 1 : -1) : 0,
      );
      const planned = { plannedVariance: REQUEST.discordance + 0.01, plannedGroups: REQUEST.groups };
      const { verdict } = driftCheck({ differences, margin: REQUEST.margin, alpha: REQUEST.alpha, ...planned });
      if (verdict === 'ok') shown++;
    }
    expect(Math.abs(chanceToHold(REQUEST) - shown / audits)).toBeLessThan(0.1);
  });

  it('knows that 40 groups show nothing at a margin of 5 points, not even where no score differs', () => {
    expect(chanceToHold({ ...REQUEST, groups: 40, discordance: 0 })).toBe(0);
    expect(chanceToHold({ ...REQUEST, groups: 150, discordance: 0 })).toBe(1);
  });

  it('grows with the groups and with what is expected to be gained, and falls the more scores differ', () => {
    const chance = chanceToHold(REQUEST);
    expect(chanceToHold({ ...REQUEST, groups: 150 })).toBeLessThan(chance - 0.1);
    expect(chanceToHold({ ...REQUEST, discordance: 0.3 })).toBeLessThan(chance - 0.1);
    expect(chanceToHold({ ...REQUEST, discordance: 0.3, lead: 0.1 })).toBeGreaterThan(chance);
    expect(chanceToHold({ ...REQUEST, tasksPerGroup: 4 })).toBeGreaterThan(chance);
  });
});
