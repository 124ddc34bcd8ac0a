import { sql, type ColumnType, type Generated } from 'kysely';
import type { TenantTx } from './with-tenant.ts';

export interface DocumentTextTable {
  document_id: string;
  organization_id: Generated<string>;
  text: string;
  blocks: ColumnType<unknown, string, string>;
  created_at: Generated<Date>;
}

/** What was read out of a document. */
export interface DocumentText {
  text: string;
  /** Its headings, paragraphs and rows, as extraction left them. */
  blocks: unknown;
}

export async function putDocumentText(tx: TenantTx, documentId: string, { text, blocks }: DocumentText): Promise<void> {
  const values = { text, blocks: JSON.stringify(blocks) };
  await tx
    .insertInto('lamb.document_texts')
    .values({ document_id: documentId, ...values })
    .onConflict((conflict) => conflict.column('document_id').doUpdateSet(values))
    .execute();
}

export async function getDocumentText(tx: TenantTx, documentId: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('lamb.document_texts')
    .select('text')
    .where('document_id', '=', documentId)
    .executeTakeFirst();
  return row?.text;
}

/** Without the text, which they hold once more: a large document need not be in memory twice. */
export async function getDocumentBlocks(
  tx: TenantTx,
  documentId: string,
): Promise<Pick<DocumentText, 'blocks'> | undefined> {
  return await tx
    .selectFrom('lamb.document_texts')
    .select('blocks')
    .where('document_id', '=', documentId)
    .executeTakeFirst();
}

/** Whether a document has been read. */
export async function hasDocumentText(tx: TenantTx, documentId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('lamb.document_texts')
    .select(sql`1`.as('one'))
    .where('document_id', '=', documentId)
    .executeTakeFirst();
  return row !== undefined;
}
