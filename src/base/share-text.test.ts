import { expect, it } from 'vitest';
import { points, signedPoints } from './share-text.ts';

it('shows what rounds to no points without a sign, and a loss with it', () => {
  expect([points(-0.0002), points(-0.0006), points(0.05)]).toEqual(['0.0 pp', '-0.1 pp', '5.0 pp']);
  expect([signedPoints(-0.0002), signedPoints(-0.1), signedPoints(0.05)]).toEqual(['0.0 pp', '-10.0 pp', '+5.0 pp']);
});
