import { AppError } from '@lamb/contract';
import { createRequestLimiter } from '../budget/create-request-limiter.ts';

/**
 * Attempts per minute. Somebody who guesses one password is stopped soon; a stranger who guesses somewhere else does not
 * lock a person out; and a whole class may sign in from behind one address.
 */
const PER_ACCOUNT_AND_ADDRESS = 20;
const PER_ACCOUNT = 100;
const PER_ADDRESS = 600;

/** Makes a function that refuses the attempt to sign in when there were too many. It is this process's own count. */
export function createSignInLimiter({ now }: { now?: () => number } = {}) {
  const limiter = createRequestLimiter(now ? { now } : {});
  return ({ account, address }: { account: string; address: string }): void => {
    const name = account.trim().toLowerCase();
    const limits = [
      [`both:${address} ${name}`, PER_ACCOUNT_AND_ADDRESS],
      [`account:${name}`, PER_ACCOUNT],
      [`address:${address}`, PER_ADDRESS],
    ] as const;
    for (const [key, perMinute] of limits) {
      const seconds = limiter.take(key, perMinute);
      if (seconds === undefined) continue;
      const message = 'There were too many attempts to sign in.';
      throw new AppError('rate_limited', { message, details: { retry_after: seconds } });
    }
  };
}
