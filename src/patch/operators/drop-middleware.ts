import type { HarnessMiddleware } from '../../harness/harness.ts';
import { fileEdit, present } from '../harness-edits.ts';
import type { OperatorContext, PatchDraft, PatchOperator } from '../patch-operator.ts';
import { hookAt, MIDDLEWARE_MECHANISMS } from './middleware-mechanisms.ts';

/** Takes a middleware away: one that failures are laid to, or any, as a simplification. */
export const dropMiddleware: PatchOperator = {
  name: 'drop-middleware',
  reach: (cluster, harness) => {
    if (harness.middleware.length === 0) return 0;
    if (cluster === null) return 0.15;
    return MIDDLEWARE_MECHANISMS.has(cluster.mechanism) || cluster.mechanism === 'middleware-fault' ? 0.5 : 0;
  },
  propose: (context) => context.harness.middleware.flatMap((middleware) => withoutIt(context, middleware)),
};

function withoutIt(context: OperatorContext, middleware: HarnessMiddleware): PatchDraft[] {
  const { harness, clusters } = context;
  const { id } = middleware;
  const code = middleware.kind === 'js' ? (middleware.options.entry ?? `${id}.js`) : null;
  const isShared = harness.middleware.some(
    (other) => other !== middleware && other.kind === 'js' && other.options.entry === code,
  );
  const files = [`${id}.yaml`, ...(code === null || isShared ? [] : [code])].map((file) => `middleware/${file}`);
  const isBlamed = clusters.some((cluster) => hookAt(cluster) === id);
  return [
    {
      title: `without the middleware ${id}`,
      edits: present(files.filter((file) => harness.files.has(file)).map((file) => fileEdit(harness, file, undefined))),
      component: 'middleware',
      probe: { kind: 'setting-changed' },
      promise: isBlamed ? 1 : 0.5,
    },
  ];
}
