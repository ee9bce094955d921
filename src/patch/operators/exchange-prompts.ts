import type { Harness } from '../../harness/harness.ts';
import { hasField } from '../../harness/template-fields.ts';
import { fileEdit, present } from '../harness-edits.ts';
import type { PatchOperator } from '../patch-operator.ts';
import { OWN_FIELD } from './own-field.ts';

/** Gives two prompts their places back where each holds what the other is for. */
export const exchangePrompts: PatchOperator = {
  name: 'exchange-prompts',
  reach: (_cluster, harness) => (misplacedPairs(harness).length > 0 ? 0.95 : 0),
  propose: ({ harness }) =>
    misplacedPairs(harness).map(([one, other]) => ({
      title: `exchange prompts/${one}.md and prompts/${other}.md`,
      edits: present([
        fileEdit(harness, `prompts/${one}.md`, harness.files.get(`prompts/${other}.md`) ?? ''),
        fileEdit(harness, `prompts/${other}.md`, harness.files.get(`prompts/${one}.md`) ?? ''),
      ]),
      component: 'prompt' as const,
      probe: { kind: 'prompt-changed' as const },
      promise: 1,
    })),
};

/** Pairs of written prompts of which the first lacks its own field, the second has it, and the second loses nothing by the exchange. */
function misplacedPairs(harness: Harness): [string, string][] {
  const written = Object.keys(harness.prompts).filter((name) => harness.files.has(`prompts/${name}.md`));
  const shows = (name: string, field: string | undefined) =>
    field !== undefined && hasField(harness.prompts[name] ?? '', field);
  const ownFields: Readonly<Record<string, string>> = OWN_FIELD;
  return written.flatMap((one) =>
    written.flatMap((other): [string, string][] => {
      const [own, others] = [ownFields[one], ownFields[other]];
      const isMisplaced = own !== undefined && own !== others && !shows(one, own) && shows(other, own);
      const fits = others === undefined || (shows(one, others) && !shows(other, others));
      // Seen from both sides, a pair would be proposed twice.
      return isMisplaced && fits && (others === undefined || one < other) ? [[one, other]] : [];
    }),
  );
}
