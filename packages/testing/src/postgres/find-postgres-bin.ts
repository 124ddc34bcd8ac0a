import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const version = '15';

/** The folder with `initdb` and `pg_ctl`: Debian's own place first, then PATH. */
export function findPostgresBin(): string {
  const candidates = [`/usr/lib/postgresql/${version}/bin`, ...(process.env.PATH ?? '').split(delimiter)];
  const found = candidates.find((folder) => existsSync(join(folder, 'initdb')));
  if (found === undefined) {
    throw new Error(`PostgreSQL ${version} was not found. On Debian, run scripts/install-postgres, then try again.`);
  }
  return found;
}
