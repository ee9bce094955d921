import type { EvidenceRule } from './evidence-rule.ts';
import {
  answerAmongOthers,
  answerNotToolValue,
  noAnswerBesideToolValue,
} from './evidence-rules/answer-not-tool-value.ts';
import { answerSourceMisfit } from './evidence-rules/answer-source-misfit.ts';
import { backendDiffers } from './evidence-rules/backend-differs.ts';
import { callInOtherForm } from './evidence-rules/call-in-other-form.ts';
import { callOfUnknownTool } from './evidence-rules/call-of-unknown-tool.ts';
import { callUnreadable } from './evidence-rules/call-unreadable.ts';
import { cutByLength } from './evidence-rules/cut-by-length.ts';
import { cutInCall } from './evidence-rules/cut-in-call.ts';
import { defectOfHarness } from './evidence-rules/defect-of-harness.ts';
import { fieldUnfilled } from './evidence-rules/field-unfilled.ts';
import { finalTurnOff } from './evidence-rules/final-turn-off.ts';
import { memoryFault, middlewareFault, retryFault, toolFault } from './evidence-rules/harness-fault.ts';
import { historyTrimmed, historyTrimmedOnce } from './evidence-rules/history-trimmed.ts';
import {
  hookAskedInVain,
  hookChangedAnswer,
  hookEndedWork,
  hookHidResult,
  hookHidValue,
  hookSetAnswerAside,
  hookStoppedCall,
} from './evidence-rules/hook-acted.ts';
import { identicalRepeat } from './evidence-rules/identical-repeat.ts';
import { factsLeftOut, resultsShortened } from './evidence-rules/memory-left-out.ts';
import { narratedCall } from './evidence-rules/narrated-call.ts';
import { noAnswer } from './evidence-rules/no-answer.ts';
import { noCall } from './evidence-rules/no-call.ts';
import { outputCapped } from './evidence-rules/output-capped.ts';
import { promptBreaksOff, promptLineBreaksOff } from './evidence-rules/prompt-breaks-off.ts';
import { resultNotShown } from './evidence-rules/result-not-shown.ts';
import { repairSwitchedOff, retrySpent } from './evidence-rules/retry-spent.ts';
import { shortenedResultMissed } from './evidence-rules/shortened-result-missed.ts';
import { skillNeverLoaded } from './evidence-rules/skill-never-loaded.ts';
import { skillForOtherTasks, skillNotGiven } from './evidence-rules/skill-not-given.ts';
import { stopCutsReply } from './evidence-rules/stop-cuts-reply.ts';
import { taskNotShown } from './evidence-rules/task-not-shown.ts';
import { toolFailed } from './evidence-rules/tool-failed.ts';
import { toolNotOffered } from './evidence-rules/tool-not-offered.ts';
import { toolRefused } from './evidence-rules/tool-refused.ts';
import { trialAndError } from './evidence-rules/trial-and-error.ts';
import { turnLimitOnCall } from './evidence-rules/turn-limit-on-call.ts';
import { valueWithoutArgument } from './evidence-rules/value-without-argument.ts';
import { verdictUnlikeSchema } from './evidence-rules/verdict-unlike-schema.ts';
import { voidTurn } from './evidence-rules/void-turn.ts';
import { wallLimit } from './evidence-rules/wall-limit.ts';
import { windowOverflow } from './evidence-rules/window-overflow.ts';
import { wrongValue } from './evidence-rules/wrong-value.ts';

/**
 * All rules, most certain and furthest upstream first: the first that finds its evidence names the cause, so that a later
 * symptom (no answer, say) never hides what led to it. What broke by itself comes first, then what the request lacked, then φ's own
 * contradictions, then what happened turn by turn. `wrongValue` always finds something and must stay last.
 */
export const EVIDENCE_RULES: readonly EvidenceRule[] = [
  middlewareFault,
  retryFault,
  memoryFault,
  toolFault,
  windowOverflow,
  wallLimit,
  taskNotShown,
  fieldUnfilled,
  toolNotOffered,
  resultNotShown,
  skillNotGiven,
  defectOfHarness('sure-defect', 0.8),
  voidTurn,
  stopCutsReply,
  cutInCall,
  historyTrimmed,
  factsLeftOut,
  hookHidValue,
  hookSetAnswerAside,
  hookHidResult,
  shortenedResultMissed,
  outputCapped,
  repairSwitchedOff,
  retrySpent,
  turnLimitOnCall,
  callUnreadable,
  backendDiffers,
  promptLineBreaksOff,
  answerSourceMisfit,
  identicalRepeat,
  trialAndError,
  toolRefused,
  toolFailed,
  verdictUnlikeSchema,
  hookChangedAnswer,
  hookStoppedCall,
  finalTurnOff,
  resultsShortened,
  hookEndedWork,
  noAnswerBesideToolValue,
  answerAmongOthers,
  answerNotToolValue,
  skillNeverLoaded,
  callOfUnknownTool,
  callInOtherForm,
  promptBreaksOff,
  narratedCall,
  noCall,
  cutByLength,
  historyTrimmedOnce,
  hookAskedInVain,
  skillForOtherTasks,
  defectOfHarness('likely-defect', 0.6),
  valueWithoutArgument,
  noAnswer,
  wrongValue,
];
