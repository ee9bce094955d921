import { addExamples } from './operators/add-examples.ts';
import { addSkill } from './operators/add-skill.ts';
import { answerContract } from './operators/answer-contract.ts';
import { answerSource } from './operators/answer-source.ts';
import { argumentsOfReferences } from './operators/arguments-of-references.ts';
import { callDialect } from './operators/call-dialect.ts';
import { callInstruction } from './operators/call-instruction.ts';
import { dropExamples } from './operators/drop-examples.ts';
import { dropMiddleware } from './operators/drop-middleware.ts';
import { dropSkill } from './operators/drop-skill.ts';
import { errorFeedback } from './operators/error-feedback.ts';
import { exchangePrompts } from './operators/exchange-prompts.ts';
import { historyLimit } from './operators/history-limit.ts';
import { memoryLimit } from './operators/memory-limit.ts';
import { memoryPolicy } from './operators/memory-policy.ts';
import { MIDDLEWARE_ADDITIONS } from './operators/middleware-additions.ts';
import { middlewareLimit } from './operators/middleware-limit.ts';
import { outputLimit } from './operators/output-limit.ts';
import { rememberFacts } from './operators/remember-facts.ts';
import { removeLine } from './operators/remove-line.ts';
import { replaceExamples } from './operators/replace-examples.ts';
import { rolloutsInFlight } from './operators/rollouts-in-flight.ts';
import { shortenDescription } from './operators/shorten-description.ts';
import { shortenPrompt } from './operators/shorten-prompt.ts';
import { showField } from './operators/show-field.ts';
import { skillLoading } from './operators/skill-loading.ts';
import { statedRepair } from './operators/stated-repair.ts';
import { stopStrings } from './operators/stop-strings.ts';
import { temperature } from './operators/temperature.ts';
import { timeLimit } from './operators/time-limit.ts';
import { tokenLimit } from './operators/token-limit.ts';
import { toolDescription } from './operators/tool-description.ts';
import { toolPurpose } from './operators/tool-purpose.ts';
import { toolRuns } from './operators/tool-runs.ts';
import { toolsOfReferences } from './operators/tools-of-references.ts';
import { turnLimit } from './operators/turn-limit.ts';
import { votes } from './operators/votes.ts';
import { workedExamples } from './operators/worked-examples.ts';
import { workingProtocol } from './operators/working-protocol.ts';
import type { PatchOperator } from './patch-operator.ts';

/** All operators; their order only breaks ties. */
export const PATCH_OPERATORS: readonly PatchOperator[] = [
  statedRepair,
  workingProtocol,
  workedExamples,
  answerSource,
  callDialect,
  callInstruction,
  answerContract,
  addExamples,
  replaceExamples,
  dropExamples,
  shortenPrompt,
  errorFeedback,
  toolDescription,
  argumentsOfReferences,
  toolsOfReferences,
  toolPurpose,
  shortenDescription,
  outputLimit,
  showField,
  exchangePrompts,
  removeLine,
  dropSkill,
  tokenLimit,
  turnLimit,
  timeLimit,
  toolRuns,
  stopStrings,
  historyLimit,
  ...MIDDLEWARE_ADDITIONS,
  middlewareLimit,
  dropMiddleware,
  memoryPolicy,
  memoryLimit,
  rememberFacts,
  skillLoading,
  addSkill,
  temperature,
  votes,
  rolloutsInFlight,
];
