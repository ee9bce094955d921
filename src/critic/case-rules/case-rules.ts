import { answerForm, behaviourVaries, thinInstructions } from './answer-form.ts';
import { byTheBook } from './by-the-book.ts';
import type { CaseRule } from './case-rule.ts';
import { changedInput } from './changed-input.ts';
import { cutText } from './cut-text.ts';
import { deliveredOtherwise } from './delivered-otherwise.ts';
import { endedByLoop, loopSpeaks } from './ended-by-loop.ts';
import { endedEarly } from './ended-early.ts';
import { faithfulButWrong } from './faithful-but-wrong.ts';
import { harnessDefectClues } from './harness-defect-clues.ts';
import { harnessDifference } from './harness-difference.ts';
import { hookAtWork } from './hook-at-work.ts';
import { changedInPassing, loopInterference } from './loop-interference.ts';
import { lostMemory, shortHistory } from './lost-memory.ts';
import { missingRoutine } from './missing-routine.ts';
import { narration } from './narration.ts';
import { openChoice } from './open-choice.ts';
import { ownReasoning, passesElsewhere } from './own-reasoning.ts';
import { refusedCall } from './refused-call.ts';
import { repetition } from './repetition.ts';
import { seenFromOutside } from './seen-from-outside.ts';
import { skillPlace } from './skill-place.ts';
import { stepLimit } from './step-limit.ts';
import { stopString } from './stop-string.ts';
import { systematicFailure } from './systematic-failure.ts';
import { timeOut } from './time-out.ts';
import { unfilledTemplate } from './unfilled-template.ts';
import { unknownToolCall } from './unknown-tool-call.ts';
import { unlikeDescription } from './unlike-description.ts';
import { unreadCall } from './unread-call.ts';
import { unstatedRule } from './unstated-rule.ts';
import { voidReply } from './void-reply.ts';
import { weakRecall } from './weak-recall.ts';

/** All rules for cases of others. Their clues add up, so their order means nothing. */
export const CASE_RULES: readonly CaseRule[] = [
  harnessDifference,
  harnessDefectClues,
  refusedCall,
  unknownToolCall,
  unreadCall,
  stepLimit,
  repetition,
  cutText,
  voidReply,
  timeOut,
  loopInterference,
  changedInPassing,
  changedInput,
  lostMemory,
  shortHistory,
  missingRoutine,
  narration,
  answerForm,
  thinInstructions,
  faithfulButWrong,
  byTheBook,
  endedEarly,
  behaviourVaries,
  ownReasoning,
  passesElsewhere,
  unfilledTemplate,
  unstatedRule,
  openChoice,
  unlikeDescription,
  hookAtWork,
  stopString,
  skillPlace,
  systematicFailure,
  deliveredOtherwise,
  endedByLoop,
  loopSpeaks,
  weakRecall,
  seenFromOutside,
];
