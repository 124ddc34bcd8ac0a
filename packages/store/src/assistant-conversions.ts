import { sql, type Generated } from 'kysely';
import type { Assistant } from './assistants.ts';
import type { TenantTx } from './with-tenant.ts';

export interface AssistantConversionTable {
  assistant_id: number;
  organization_id: Generated<string>;
  version: number;
  converted_by: string | null;
  api_callback: string;
  system_prompt: string;
  prompt_template: string;
  rag_top_k: number | null;
  rag_collections: string;
  created_at: Generated<Date>;
}

/** That an assistant was converted, and which version that made. */
export interface AssistantConversion {
  version: number;
  createdAt: Date;
}

/**
 * Makes a classic assistant a multi-tool one and keeps what it was. The columns of the classic tool stay, for older
 * installations. False when somebody changed it meanwhile. What nobody asked for does not count as a change of that time.
 */
export async function convertAssistant(
  tx: TenantTx,
  before: Assistant,
  { metadata, convertedBy }: { metadata: string; convertedBy: string | null },
): Promise<boolean> {
  const changed = await tx
    .updateTable('lamb.assistants')
    .set({
      api_callback: metadata,
      assistant_type: 'multi_tool',
      version: sql<number>`version + 1`,
      ...(convertedBy === null ? {} : { updated_at: sql<Date>`now()` }),
    })
    .where('id', '=', before.id)
    .where('version', '=', before.version)
    .where('deleted_at', 'is', null)
    .returning('version')
    .executeTakeFirst();
  if (!changed) return false;
  const kept = {
    version: changed.version,
    converted_by: convertedBy,
    api_callback: before.metadata,
    system_prompt: before.systemPrompt,
    prompt_template: before.promptTemplate,
    rag_top_k: before.ragTopK,
    rag_collections: before.ragCollections,
  };
  await tx
    .insertInto('lamb.assistant_conversions')
    .values({ assistant_id: before.id, ...kept })
    .onConflict((conflict) => conflict.column('assistant_id').doUpdateSet({ ...kept, created_at: sql<Date>`now()` }))
    .execute();
  return true;
}

export async function getAssistantConversion(
  tx: TenantTx,
  assistantId: number,
): Promise<AssistantConversion | undefined> {
  return await tx
    .selectFrom('lamb.assistant_conversions')
    .select(['version', 'created_at as createdAt'])
    .where('assistant_id', '=', assistantId)
    .executeTakeFirst();
}

/** Makes an assistant exactly what it was before it was converted, and forgets that it was. False when it was not. */
export async function undoAssistantConversion(tx: TenantTx, assistantId: number): Promise<boolean> {
  const kept = await tx
    .deleteFrom('lamb.assistant_conversions')
    .where('assistant_id', '=', assistantId)
    .returning(['api_callback', 'system_prompt', 'prompt_template', 'rag_top_k', 'rag_collections'])
    .executeTakeFirst();
  if (!kept) return false;
  const { numUpdatedRows } = await tx
    .updateTable('lamb.assistants')
    .set({
      ...kept,
      assistant_type: 'classic',
      version: sql<number>`version + 1`,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', assistantId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
