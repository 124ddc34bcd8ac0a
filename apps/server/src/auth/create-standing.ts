import type { Principal } from '@lamb/contract';
import type { Db, DbOrTx } from '@lamb/store';
import { readStanding } from './read-standing.ts';

/** What somebody may do while something of theirs is under way that takes time. */
export interface Standing {
  /** Reads it now. Throws what the door would say to them today. */
  read(db: DbOrTx): Promise<Principal>;
  /** The same, but only when it was not read a moment ago: for what is asked often. */
  check(): Promise<void>;
}

/** Less than what a revocation may take to be felt. */
const A_MOMENT_MS = 500;

/** Follows the standing of somebody who has just been let in. */
export function createStanding(pool: Db, principal: Principal): Standing {
  let readAt = performance.now();
  const read = async (db: DbOrTx): Promise<Principal> => {
    const now = await readStanding(db, principal);
    readAt = performance.now();
    return now;
  };
  return {
    read,
    async check() {
      if (performance.now() - readAt > A_MOMENT_MS) await read(pool);
    },
  };
}
