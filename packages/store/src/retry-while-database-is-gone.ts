import { setTimeout as wait } from 'node:timers/promises';

interface Patience {
  /** How long it is tried again. Default: a minute. */
  readonly patienceMs?: number;
  /** Ends the trying. */
  readonly signal?: AbortSignal;
}

/** Repeats work that failed because the database was not there, until it is back or patience ends. The work must bear repetition. */
export async function retryWhileDatabaseIsGone<Result>(
  work: () => Promise<Result>,
  { patienceMs = 60_000, signal }: Patience = {},
): Promise<Result> {
  const giveUpAt = performance.now() + patienceMs;
  for (let pause = 50; ; pause = Math.min(pause * 2, 1000)) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseGone(error) || performance.now() > giveUpAt || signal?.aborted === true) throw error;
      // Not all at the same moment when it comes back.
      await wait(pause * (0.5 + Math.random()));
    }
  }
}

/** Connection failures of Node and of pg, and PostgreSQL's classes 08 (connection), 53 (resources) and 57P (shutdown). */
export function isDatabaseGone(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^(ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT|08...|53...|57P..)$/.test(code)) return true;
  return /connection terminated|connection timeout|timeout exceeded when trying to connect|not queryable|connection ended/i.test(
    error.message,
  );
}
