import { AppError } from '@lamb/contract';
import type { BudgetRefusal } from '@lamb/store';
import { toUnixSeconds } from '../http/to-unix-seconds.ts';

const names = {
  organization_tokens: 'The organisation’s tokens',
  organization_cost: 'The organisation’s money',
  user_tokens: 'Your tokens',
  user_cost: 'Your money',
} as const satisfies Record<BudgetRefusal['cap'], string>;

/** A refusal as an error that says which cap it is and until when it holds. */
export function toBudgetError({ cap, limit, taken, until }: BudgetRefusal, now: Date): AppError {
  const day = until.toISOString().slice(0, 10);
  return new AppError('budget_exceeded', {
    message: `${names[cap]} for this month do not suffice for this call; the next month begins on ${day} (UTC).`,
    details: {
      cap,
      limit,
      taken,
      until: toUnixSeconds(until),
      retry_after: Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000)),
    },
  });
}
