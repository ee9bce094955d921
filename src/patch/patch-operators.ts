import { addExamples } from './operators/add-examples.ts';
import { answerSource } from './operators/answer-source.ts';
import { callDialect } from './operators/call-dialect.ts';
import { dropExamples } from './operators/drop-examples.ts';
import { replaceExamples } from './operators/replace-examples.ts';
import { workedExamples } from './operators/worked-examples.ts';
import { workingProtocol } from './operators/working-protocol.ts';
import type { PatchOperator } from './patch-operator.ts';

/** All operators; their order only breaks ties. */
export const PATCH_OPERATORS: readonly PatchOperator[] = [
  workingProtocol,
  workedExamples,
  answerSource,
  callDialect,
  addExamples,
  replaceExamples,
  dropExamples,
];
