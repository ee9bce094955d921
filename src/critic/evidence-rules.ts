import type { EvidenceRule } from './evidence-rule.ts';
import { answerNotToolValue } from './evidence-rules/answer-not-tool-value.ts';
import { callInOtherForm } from './evidence-rules/call-in-other-form.ts';
import { callOfUnknownTool } from './evidence-rules/call-of-unknown-tool.ts';
import { callUnreadable } from './evidence-rules/call-unreadable.ts';
import { cutByLength } from './evidence-rules/cut-by-length.ts';
import { cutInCall } from './evidence-rules/cut-in-call.ts';
import { memoryFault, middlewareFault, retryFault, toolFault } from './evidence-rules/harness-fault.ts';
import { historyTrimmed } from './evidence-rules/history-trimmed.ts';
import { hookAskedInVain, hookChangedAnswer, hookHidResult, hookStoppedCall } from './evidence-rules/hook-acted.ts';
import { identicalRepeat } from './evidence-rules/identical-repeat.ts';
import { narratedCall } from './evidence-rules/narrated-call.ts';
import { noAnswer } from './evidence-rules/no-answer.ts';
import { noCall } from './evidence-rules/no-call.ts';
import { toolFailed } from './evidence-rules/tool-failed.ts';
import { toolNotOffered } from './evidence-rules/tool-not-offered.ts';
import { toolRefused } from './evidence-rules/tool-refused.ts';
import { turnLimitOnCall } from './evidence-rules/turn-limit-on-call.ts';
import { voidTurn } from './evidence-rules/void-turn.ts';
import { wallLimit } from './evidence-rules/wall-limit.ts';
import { windowOverflow } from './evidence-rules/window-overflow.ts';
import { wrongValue } from './evidence-rules/wrong-value.ts';

/**
 * All rules, most certain and furthest upstream first: the first that finds its evidence names the cause, so that a later
 * symptom (no answer, say) never hides what led to it. `wrongValue` always finds something and must stay last.
 */
export const EVIDENCE_RULES: readonly EvidenceRule[] = [
  middlewareFault,
  retryFault,
  memoryFault,
  toolFault,
  windowOverflow,
  wallLimit,
  toolNotOffered,
  voidTurn,
  cutInCall,
  callUnreadable,
  hookHidResult,
  identicalRepeat,
  toolRefused,
  toolFailed,
  hookChangedAnswer,
  hookStoppedCall,
  answerNotToolValue,
  turnLimitOnCall,
  callOfUnknownTool,
  callInOtherForm,
  narratedCall,
  noCall,
  historyTrimmed,
  cutByLength,
  hookAskedInVain,
  noAnswer,
  wrongValue,
];
