import { setTimeout as wait } from 'node:timers/promises';

const PATIENCE_MS = 60_000;

/** Repeats work that failed because the database was not there, until it is back or patience ends. The work must bear repetition. */
export async function retryWhileDatabaseIsGone<Result>(work: () => Promise<Result>): Promise<Result> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (let pause = 50; ; pause = Math.min(pause * 2, 1000)) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseGone(error) || performance.now() > giveUpAt) throw error;
      await wait(pause);
    }
  }
}

/** Connection failures of Node and of pg, and PostgreSQL's classes 08 (connection), 53 (resources) and 57P (shutdown). */
function isDatabaseGone(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^(ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT|08...|53...|57P..)$/.test(code)) return true;
  return /connection terminated|connection timeout|timeout exceeded when trying to connect|not queryable|connection ended/i.test(
    error.message,
  );
}
