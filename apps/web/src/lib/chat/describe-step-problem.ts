import type { CallOutcome, ToolProblem } from '@lamb/contract';
import { m } from '#lib/paraglide/messages.js';
import { getLocale } from '#lib/paraglide/runtime.js';

type Kind = ToolProblem['code'] | Exclude<CallOutcome, 'done'>;

const words: Readonly<Record<Kind, () => string>> = {
  timeout: m.chat_problem_timeout,
  failed: m.chat_problem_failed,
  invalid_result: m.chat_problem_result,
  invalid_config: m.chat_problem_config,
  cancelled: m.chat_problem_cancelled,
  refused: m.chat_problem_refused,
  rejected: m.chat_problem_rejected,
  unknown: m.chat_problem_unknown,
};

/** Why a step gave nothing. What the tool itself said is English, and elsewhere for those only who can mend it. */
export function describeStepProblem(kind: string, said: string, mayLook: boolean): string {
  const word = Object.hasOwn(words, kind) ? words[kind as Kind]() : undefined;
  if (word === undefined || getLocale() === 'en') return said;
  return mayLook && said !== '' ? `${word} (${said})` : word;
}
