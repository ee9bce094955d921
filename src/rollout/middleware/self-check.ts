import { linearPattern } from '../../base/linear-pattern.ts';
import { fillTemplate } from '../fill-template.ts';
import type { MiddlewareFactory } from './middleware.ts';

/** An answer that breaks a rule of φ (form, length, no value of a tool behind it) goes back to the model with what is missing. No model judges here. */
export const selfCheck: MiddlewareFactory<'self-check'> = ({ pattern, needsValue, mostCharacters, asks, message }) => {
  const fits = pattern === null ? null : linearPattern(pattern);
  let left = asks;
  let hasValue = false;
  const problemOf = (answer: string): string | null => {
    if (needsValue && !hasValue) return 'no tool was used for it';
    if (mostCharacters !== null && answer.length > mostCharacters)
      return `it is longer than ${mostCharacters} characters`;
    return fits === null || fits(answer) ? null : 'it does not have the required form';
  };
  return {
    afterTool: ({ value }) => {
      hasValue ||= value !== null;
      return null;
    },
    finish: (answer, { turnsLeft }) => {
      const problem = problemOf(answer ?? '');
      if (problem === null || left === 0 || turnsLeft === 0) return null;
      left--;
      return { kind: 'ask-again', text: fillTemplate(message, { problem }) };
    },
  };
};
