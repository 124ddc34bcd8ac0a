import pg from 'pg';

export interface StoreScale {
  organizations: number;
  assistants: number;
  users: number;
}

export const fullScale: StoreScale = { organizations: 1000, assistants: 200_000, users: 1_000_000 };

/** The plain text of the nth key that the fill made; every twentieth user has one. */
export function nameKey(user: number): string {
  return `bench-key-${String(user)}`;
}

/**
 * Fills a migrated database, as superuser. Organisations differ in size as they do in life: the largest has sixty times
 * the members of the smallest; a tenth of the members are teachers, and a few of those own many assistants.
 */
export async function fillStore(adminUrl: string, scale: StoreScale): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    // The rows fit together by construction, and checking three million references would take longer than making them.
    await client.query(
      `set session_replication_role = replica; set work_mem = '256MB'; set maintenance_work_mem = '512MB'`,
    );
    await client.query(defineFunctions(scale));
    const indexes = await dropIndexes(client);
    for (const statement of listInserts(scale)) await client.query(statement);
    for (const index of indexes) await client.query(index);
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

/** Building an index at the end is several times faster than keeping it up row by row. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index
    where indrelid in ('auth.user'::regclass, 'auth.member'::regclass, 'lamb.assistants'::regclass,
        'lamb.assistant_shares'::regclass)
      and not exists (select from pg_constraint where conindid = indexrelid)`);
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ definition }) => definition);
}

/**
 * Users and assistants are numbered; a number's square places it in an organisation. The casts keep the bodies as strict
 * as their declarations, or the planner would call them a million times instead of inlining them.
 */
function defineFunctions({ organizations, assistants, users }: StoreScale): string {
  const [o, a, u] = [String(organizations), String(assistants), String(users)];
  return `
    create function pg_temp.organization_id(n bigint) returns uuid immutable
      return md5('organization:' || n::text)::uuid;
    create function pg_temp.user_id(n bigint) returns uuid immutable return md5('user:' || n::text)::uuid;
    create function pg_temp.organization_of_user(n bigint) returns bigint immutable
      return floor(${o} * power(n / ${u}::float8, 2))::bigint;
    create function pg_temp.organization_of_assistant(n bigint) returns bigint immutable
      return floor(${o} * power(n / ${a}::float8, 2))::bigint;
    create function pg_temp.first_user(organization bigint) returns bigint immutable
      return ceil(${u} * sqrt(organization / ${o}::float8))::bigint;
    -- A member at random, the same few more often than the others; only the first tenth of an organisation is drawn.
    create function pg_temp.draw_teacher(organization bigint) returns bigint volatile return
      pg_temp.first_user(organization) + floor(
        greatest(1, (pg_temp.first_user(organization + 1) - pg_temp.first_user(organization)) / 10)
        * power(random(), 2))::bigint;`;
}

function listInserts({ organizations, assistants, users }: StoreScale): string[] {
  return [
    `insert into auth.organization (id, name, slug)
     select pg_temp.organization_id(n), 'Organisation ' || n, 'organisation-' || n
     from generate_series(0, ${String(organizations - 1)}) n`,

    // In no order, as people come: rows of one organisation are scattered over the whole table.
    `insert into auth."user" (id, name, email, "emailVerified", kind)
     select pg_temp.user_id(n), 'Person ' || n, 'person.' || n || '@example.org', true,
       case when n % 10 = 0 then 'creator' else 'end_user' end
     from (select n from generate_series(0, ${String(users - 1)}) n order by random()) shuffled`,

    `insert into auth.member ("organizationId", "userId", role, "createdAt")
     select pg_temp.organization_id(pg_temp.organization_of_user(n)), pg_temp.user_id(n), 'member',
       now() - random() * interval '3 years'
     from (select n from generate_series(0, ${String(users - 1)}) n order by random()) shuffled`,

    `insert into auth.apikey (key, name, start, "referenceId", "organizationId", enabled)
     select translate(rtrim(encode(sha256(convert_to('bench-key-' || n, 'utf8')), 'base64'), '='), '+/', '-_'),
       'bench', 'bench', pg_temp.user_id(n)::text, pg_temp.organization_id(pg_temp.organization_of_user(n)), true
     from generate_series(0, ${String(users - 1)}, 20) n`,

    `insert into lamb.assistants (organization_id, owner_id, name, description, assistant_type, api_callback,
       system_prompt, prompt_template, rag_collections, created_at, updated_at, published_name, published_at)
     select pg_temp.organization_id(organization), pg_temp.user_id(pg_temp.draw_teacher(organization)),
       (array['Chemistry', 'Éclair', 'history', 'Maths', 'Zoology'])[1 + n % 5] || ' tutor ' || n,
       'Helps with exercise ' || n % 97, case when n % 3 = 0 then 'multi_tool' else 'classic' end,
       '{"_format_version":2,"connector":"openai","llm":"gpt-4o-mini","tools":[' || repeat('{"type":"simple_rag"},', 10) || '{}]}',
       repeat('You are a patient tutor. ', 40), repeat('{context} {user_input} ', 10), n::text,
       created, created + (now() - created) * random(),
       case when published then 'Tutor ' || n end, case when published then created end
     from (
       select n, pg_temp.organization_of_assistant(n) as organization,
         date_trunc('minute', now() - random() * interval '3 years') as created, random() < 0.2 as published
       from generate_series(0, ${String(assistants - 1)}) n order by random()
     ) drawn`,

    `insert into lamb.assistant_shares (assistant_id, organization_id, user_id)
     select a.id, a.organization_id,
       pg_temp.user_id(pg_temp.draw_teacher(pg_temp.organization_of_assistant(a.rag_collections::bigint)))
     from lamb.assistants a, generate_series(1, 5) where a.id % 4 = 0
     on conflict do nothing`,

    `update lamb.assistants set deleted_at = now() where id % 50 = 0`,
  ];
}
