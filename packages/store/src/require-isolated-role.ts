import { sql } from 'kysely';
import type { Db } from './database.ts';

/** Refuses to go on when the application's role could see past row-level security; called once when the server starts. */
export async function requireIsolatedRole(db: Db): Promise<void> {
  const { rows } = await sql<{ role: string; bypasses: boolean; owns: boolean }>`
    select current_user as role,
      (select rolsuper or rolbypassrls from pg_roles where rolname = current_user) as bypasses,
      exists (
        select from pg_class
        where relnamespace = to_regnamespace('lamb') and relkind in ('r', 'p') and pg_has_role(relowner, 'member')
      ) as owns`.execute(db);
  const found = rows[0];
  if (found === undefined || found.bypasses || found.owns) {
    throw new Error(
      `The application may not connect as ${found?.role ?? 'this role'}: it ${found?.bypasses === true ? 'bypasses row-level security' : 'owns the tables'}. Connect as lamb_app.`,
    );
  }
}
