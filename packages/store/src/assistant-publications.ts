import { sql } from 'kysely';
import type { TenantTx } from './with-tenant.ts';

export interface NewPublication {
  publishedBy: string;
  publishedName: string;
  /** What existing installations keep with a publication. */
  groupId?: string | null;
  groupName?: string | null;
  oauthConsumerName?: string | null;
}

/** Publishes an assistant to its organisation, or changes how it is published. False when there is no such assistant. */
export async function publishAssistant(tx: TenantTx, id: number, publication: NewPublication): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('lamb.assistants')
    .set({
      published_name: publication.publishedName,
      published_by: publication.publishedBy,
      published_at: sql<Date>`coalesce(published_at, now())`,
      group_id: publication.groupId ?? null,
      group_name: publication.groupName ?? null,
      oauth_consumer_name: publication.oauthConsumerName ?? null,
    })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Takes a publication back. False when the assistant was not published. */
export async function unpublishAssistant(tx: TenantTx, id: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('lamb.assistants')
    .set({
      published_name: null,
      published_by: null,
      published_at: null,
      group_id: null,
      group_name: null,
      oauth_consumer_name: null,
    })
    .where('id', '=', id)
    .where('published_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
