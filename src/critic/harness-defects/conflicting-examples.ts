import { canonicalJson } from '../../base/content-hash.ts';
import type { HarnessFacts } from '../harness-facts/harness-facts.ts';
import type { HarnessDefect } from './harness-defect.ts';

/** Two examples with the same problem and different solutions, and examples that call nothing where all others call. */
export function conflictingExamples({ examples }: HarnessFacts): HarnessDefect[] {
  const groups = [...Map.groupBy(examples, ({ problem }) => problem.trim().toLowerCase()).values()];
  const conflicts = groups.flatMap((group): HarnessDefect[] => {
    const [first, ...rest] = group;
    const other = rest.find((example) => solution(example) !== solution(first as (typeof examples)[number]));
    if (first === undefined || other === undefined || first.problem.trim() === '') return [];
    return [
      {
        label: 'prompt_ambiguity',
        component: 'example',
        path: other.path,
        mechanism: 'conflicting-examples',
        explanation: 'Two examples solve the same problem in different ways.',
        confidence: 0.85,
        quotes: [first, other].map((example) => ({ path: example.path, quote: solution(example) })),
        about: [],
        repair: null,
      },
    ];
  });
  const silent = examples.filter(({ calls }) => calls.length === 0);
  const [odd] = silent;
  if (odd === undefined || silent.length > 1 || examples.length < 3) return conflicts;
  return [
    ...conflicts,
    {
      label: 'prompt_ambiguity',
      component: 'example',
      path: odd.path,
      mechanism: 'example-without-call',
      explanation: 'One example answers without a call where all others call.',
      confidence: 0.5,
      quotes: [{ path: odd.path, quote: odd.text }],
      about: [],
      repair: null,
    },
  ];
}

function solution({ calls, text }: HarnessFacts['examples'][number]): string {
  return `${canonicalJson(calls)} ${text}`;
}
