import { sql, type ColumnType, type Generated } from 'kysely';
import { cutPage, decodeCursor, chooseRowCount, readNumber, type Page, type PageRequest } from './keyset.ts';
import { executePrepared } from './prepared-statements.ts';
import type { TenantTx } from './with-tenant.ts';

export interface AuditLogTable {
  id: Generated<number>;
  organization_id: Generated<string>;
  actor_id: string | null;
  action: string;
  subject: string;
  details: ColumnType<Record<string, unknown>, string, never>;
  created_at: Generated<Date>;
}

export interface NewAuditEntry {
  /** Null when the system itself acted. */
  actorId: string | null;
  /** What was done, such as `assistant.published`. */
  action: string;
  /** To what, such as `assistant:42`. */
  subject: string;
  /** Safe to show to an administrator; no contents, no secrets. */
  details?: Record<string, unknown>;
}

export interface AuditEntry extends Required<NewAuditEntry> {
  id: number;
  /** Null when the system itself acted, or they are gone. */
  actorEmail: string | null;
  actorName: string | null;
  createdAt: Date;
}

export async function recordAudit(tx: TenantTx, entry: NewAuditEntry): Promise<void> {
  await tx
    .insertInto('lamb.audit_log')
    .values({
      actor_id: entry.actorId,
      action: entry.action,
      subject: entry.subject,
      details: JSON.stringify(entry.details ?? {}),
    })
    .execute();
}

export interface AuditListRequest extends PageRequest {
  subject?: string | undefined;
  actorId?: string | undefined;
  /** The whole of an action, or the part before its point. */
  action?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/** The log of the organisation, or the part of it that is asked for, newest first. */
export async function listAuditEntries(tx: TenantTx, request: AuditListRequest): Promise<Page<AuditEntry>> {
  const count = chooseRowCount(request.limit);
  const after = decodeCursor('id', request.cursor);
  const { subject, actorId, action, from, to } = request;
  let query = tx
    .selectFrom('lamb.audit_log as l')
    .leftJoin('auth.user as u', 'u.id', 'l.actor_id')
    .select(['l.id', 'l.actor_id as actorId', 'u.email as actorEmail', 'u.name as actorName', 'l.action', 'l.subject'])
    .select(['l.details', 'l.created_at as createdAt'])
    .orderBy('l.id', 'desc')
    .limit(sql.lit(count));
  if (subject !== undefined) query = query.where('l.subject', '=', subject);
  if (actorId !== undefined) query = query.where('l.actor_id', '=', actorId);
  if (action !== undefined) {
    query = action.includes('.')
      ? query.where('l.action', '=', action)
      : query.where(sql<boolean>`starts_with(l.action, ${`${action}.`})`);
  }
  if (from !== undefined) query = query.where('l.created_at', '>=', from);
  if (to !== undefined) query = query.where('l.created_at', '<', to);
  if (after !== undefined) query = query.where('l.id', '<', readNumber(after.id));
  const rows = await executePrepared(tx, query);
  return cutPage(
    rows,
    request.limit,
    'id',
    (row) => ({ value: '', id: String(row.id) }),
    (row) => row,
  );
}
