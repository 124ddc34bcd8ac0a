import { sql, type ColumnType, type Generated } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { DbOrTx } from './database.ts';
import type { TenantTx } from './with-tenant.ts';

export interface JobTable {
  id: string;
  organization_id: string;
  kind: string;
  input: ColumnType<unknown, string, never>;
  epoch: Generated<number>;
  turn: ColumnType<number, never, never>;
  created_at: Generated<Date>;
}

/** Work in the background that has to be handed over to be executed. */
export interface NewJob {
  id: string;
  organizationId: string;
  turn: number;
}

/** A job as its latest attempt holds it. */
export interface Job {
  id: string;
  organizationId: string;
  kind: string;
  /** Ids of what it works on. */
  input: unknown;
  epoch: number;
}

/** Thrown by an attempt at a job when another one has taken the job over, or somebody has ended it. */
export class JobLost extends Error {
  constructor() {
    super('This job is no longer held by this attempt.');
    this.name = 'JobLost';
  }
}

/** Makes a job, and tells those who execute jobs when the transaction is committed. Its turn comes after the organisation's other jobs. */
export async function createJob(
  tx: TenantTx,
  { id = randomUUID(), kind, input }: { id?: string; kind: string; input: unknown },
): Promise<NewJob> {
  const { rows } = await sql<{ turn: number }>`
    insert into ops.jobs (id, organization_id, kind, input, turn)
    values (${id}, ${tx.organizationId}, ${kind}, ${JSON.stringify(input)}, coalesce(
      (select max(turn) + 1 from ops.jobs where organization_id = ${tx.organizationId}), 1
    ))
    returning turn`.execute(tx);
  const job = { id, organizationId: tx.organizationId, turn: rows[0]?.turn ?? 1 };
  await sql`select pg_notify('lamb_job_new', ${JSON.stringify(job)})`.execute(tx);
  return job;
}

/** Takes over a job; who executed it before no longer may. Undefined: it is over. */
export async function takeJob(db: DbOrTx, id: string): Promise<Job | undefined> {
  return await db
    .updateTable('ops.jobs')
    .set({ epoch: sql<number>`epoch + 1` })
    .where('id', '=', id)
    .returning(['id', 'organization_id as organizationId', 'kind', 'input', 'epoch'])
    .executeTakeFirst();
}

/** Whether an attempt may still write. */
export async function isJobHeld(db: DbOrTx, { id, epoch }: Pick<Job, 'id' | 'epoch'>): Promise<boolean> {
  const held = await db
    .selectFrom('ops.jobs')
    .select('id')
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .executeTakeFirst();
  return held !== undefined;
}

/** Throws `JobLost` when an attempt may no longer write. Otherwise nobody takes the job over before the transaction ends. */
export async function holdJob(tx: TenantTx, { id, epoch }: Pick<Job, 'id' | 'epoch'>): Promise<void> {
  const held = await tx
    .selectFrom('ops.jobs')
    .select('id')
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .forShare()
    .executeTakeFirst();
  if (held === undefined) throw new JobLost();
}

/** The jobs of the organisation whose input has this value under this name. */
export async function findJobs(tx: TenantTx, name: string, value: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('ops.jobs')
    .select('id')
    .where('organization_id', '=', tx.organizationId)
    .where(sql<boolean>`input ->> ${name} = ${value}`)
    .execute();
  return rows.map(({ id }) => id);
}

/** The jobs that read a collection's documents in, or all of it anew. */
async function findCollectionJobs(tx: TenantTx, collectionId: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from ops.jobs where organization_id = ${tx.organizationId} and (
      input ->> 'collectionId' = ${String(collectionId)}
      or input ->> 'documentId' in (select id::text from lamb.documents where collection_id = ${collectionId})
    )`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Ends what works on a collection and its documents. */
export async function endCollectionJobs(tx: TenantTx, collectionId: number): Promise<void> {
  await endJobs(tx, await findCollectionJobs(tx, collectionId));
}

/** The documents of a collection that wait to be read in and have no job that would. */
export async function listUnstartedDocuments(tx: TenantTx, collectionId: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select d.id from lamb.documents d
    where d.collection_id = ${collectionId} and d.status = 'queued' and not exists (
      select from ops.jobs j where j.organization_id = ${tx.organizationId} and j.input ->> 'documentId' = d.id::text
    )
    order by d.created_at`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Whether a job is under way or waits, whoever holds it. */
export async function isJobOpen(db: DbOrTx, id: string): Promise<boolean> {
  return (await db.selectFrom('ops.jobs').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

/** Ends jobs. Whoever executes one of them is told when the transaction is committed. */
export async function endJobs(tx: DbOrTx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    with ended as (delete from ops.jobs where id = any(${[...ids]}::uuid[]) returning id)
    select pg_notify('lamb_job_end', id::text) from ended`.execute(tx);
}
