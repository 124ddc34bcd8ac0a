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

/** The log of the organisation, or of one subject, newest first. */
export async function listAuditEntries(
  tx: TenantTx,
  request: PageRequest & { subject?: string | undefined },
): Promise<Page<AuditEntry>> {
  const count = chooseRowCount(request.limit);
  const after = decodeCursor('id', request.cursor);
  let query = tx
    .selectFrom('lamb.audit_log')
    .select(['id', 'actor_id as actorId', 'action', 'subject', 'details', 'created_at as createdAt'])
    .orderBy('id', 'desc')
    .limit(sql.lit(count));
  if (request.subject !== undefined) query = query.where('subject', '=', request.subject);
  if (after !== undefined) query = query.where('id', '<', readNumber(after.id));
  const rows = await executePrepared(tx, query);
  return cutPage(
    rows,
    request.limit,
    'id',
    (row) => ({ value: '', id: String(row.id) }),
    (row) => row,
  );
}
