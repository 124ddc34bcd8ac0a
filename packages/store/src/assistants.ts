import { AppError } from '@lamb/contract';
import { sql, type ColumnType, type Generated, type Selectable } from 'kysely';
import { findConstraint } from './find-constraint.ts';
import { executePrepared } from './prepared-statements.ts';
import type { TenantTx } from './with-tenant.ts';

export interface AssistantTable {
  id: Generated<number>;
  organization_id: Generated<string>;
  owner_id: string;
  name: string;
  description: Generated<string>;
  search_text: ColumnType<string, never, never>;
  assistant_type: Generated<AssistantType>;
  api_callback: Generated<string>;
  system_prompt: Generated<string>;
  prompt_template: Generated<string>;
  rag_endpoint: Generated<string>;
  rag_top_k: number | null;
  rag_collections: Generated<string>;
  pre_retrieval_endpoint: Generated<string>;
  post_retrieval_endpoint: Generated<string>;
  published_name: string | null;
  published_at: Date | null;
  published_by: string | null;
  group_id: string | null;
  group_name: string | null;
  oauth_consumer_name: string | null;
  version: Generated<number>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  deleted_at: Date | null;
}

export type AssistantType = 'classic' | 'multi_tool';

export interface AssistantPublication {
  publishedName: string;
  publishedAt: Date;
  groupId: string | null;
  groupName: string | null;
  oauthConsumerName: string | null;
}

/** What a creator writes. */
export interface AssistantContent {
  name: string;
  description: string;
  type: AssistantType;
  /** The metadata as it came: a JSON string, not checked here. */
  metadata: string;
  systemPrompt: string;
  promptTemplate: string;
  ragEndpoint: string;
  ragTopK: number | null;
  ragCollections: string;
  preRetrievalEndpoint: string;
  postRetrievalEndpoint: string;
}

export interface Assistant extends AssistantContent {
  id: number;
  organizationId: string;
  ownerId: string;
  ownerEmail: string;
  ownerName: string;
  published: AssistantPublication | null;
  /** Counts the changes of the content; pass it back to refuse overwriting somebody else's. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
}

export interface NewAssistant extends Partial<AssistantContent> {
  ownerId: string;
  name: string;
  /** For imports; otherwise now. */
  createdAt?: Date;
  updatedAt?: Date;
}

const columnOf = {
  name: 'name',
  description: 'description',
  type: 'assistant_type',
  metadata: 'api_callback',
  systemPrompt: 'system_prompt',
  promptTemplate: 'prompt_template',
  ragEndpoint: 'rag_endpoint',
  ragTopK: 'rag_top_k',
  ragCollections: 'rag_collections',
  preRetrievalEndpoint: 'pre_retrieval_endpoint',
  postRetrievalEndpoint: 'post_retrieval_endpoint',
} as const satisfies Record<keyof AssistantContent, keyof AssistantTable>;

export async function createAssistant(tx: TenantTx, input: NewAssistant): Promise<Assistant> {
  const { ownerId, name, createdAt, updatedAt } = input;
  const { id } = await tx
    .insertInto('lamb.assistants')
    .values({
      ...toColumns(input),
      name,
      owner_id: ownerId,
      ...(createdAt && { created_at: createdAt }),
      ...(updatedAt && { updated_at: updatedAt }),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
    .catch(explainTakenName(name));
  const row = await selectAssistants(tx).where('a.id', '=', id).executeTakeFirstOrThrow();
  return toAssistant(row);
}

export async function getAssistant(tx: TenantTx, id: number): Promise<Assistant | undefined> {
  const [row] = await executePrepared(
    tx,
    selectAssistants(tx).where('a.id', '=', id).where('a.deleted_at', 'is', null),
  );
  return row === undefined ? undefined : toAssistant(row);
}

/** Changes the given fields. Undefined when there is no such assistant; `stale_update` when `expectedVersion` is not its version. */
export async function updateAssistant(
  tx: TenantTx,
  id: number,
  change: Partial<AssistantContent>,
  expectedVersion?: number,
): Promise<Assistant | undefined> {
  let query = tx
    .updateTable('lamb.assistants')
    .set({ ...toColumns(change), updated_at: sql<Date>`now()`, version: sql<number>`version + 1` })
    .where('id', '=', id)
    .where('deleted_at', 'is', null);
  if (expectedVersion !== undefined) query = query.where('version', '=', expectedVersion);
  const { numUpdatedRows } = await query.executeTakeFirstOrThrow().catch(explainTakenName(change.name));
  const assistant = await getAssistant(tx, id);
  if (numUpdatedRows === 0n && assistant !== undefined) {
    throw new AppError('stale_update', { details: { version: assistant.version } });
  }
  return assistant;
}

/** Makes another user the owner; the content stays as it is. */
export async function transferAssistant(tx: TenantTx, id: number, ownerId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('lamb.assistants')
    .set({ owner_id: ownerId })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
    .catch(explainTakenName());
  return numUpdatedRows > 0n;
}

/** Hides an assistant from everything but `restoreAssistant`. */
export async function deleteAssistant(tx: TenantTx, id: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('lamb.assistants')
    .set({ deleted_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Brings a deleted assistant back, with its shares and publication. `name_taken` when its owner has used the name again. */
export async function restoreAssistant(tx: TenantTx, id: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('lamb.assistants')
    .set({ deleted_at: null })
    .where('id', '=', id)
    .where('deleted_at', 'is not', null)
    .executeTakeFirstOrThrow()
    .catch(explainTakenName());
  return numUpdatedRows > 0n;
}

export function selectAssistants(tx: TenantTx) {
  return tx
    .selectFrom('lamb.assistants as a')
    .innerJoin('auth.user as u', 'u.id', 'a.owner_id')
    .select(['a.id', 'a.organization_id', 'a.owner_id', 'u.email as owner_email', 'u.name as owner_name'])
    .select(['a.name', 'a.description', 'a.assistant_type', 'a.api_callback', 'a.system_prompt', 'a.prompt_template'])
    .select(['a.rag_endpoint', 'a.rag_top_k', 'a.rag_collections'])
    .select(['a.pre_retrieval_endpoint', 'a.post_retrieval_endpoint'])
    .select(['a.published_name', 'a.published_at', 'a.group_id', 'a.group_name', 'a.oauth_consumer_name'])
    .select(['a.version', 'a.created_at', 'a.updated_at', 'a.deleted_at']);
}

export type AssistantRow = Awaited<ReturnType<ReturnType<typeof selectAssistants>['executeTakeFirstOrThrow']>>;

export function toAssistant(row: AssistantRow): Assistant {
  return {
    id: row.id,
    organizationId: row.organization_id,
    ownerId: row.owner_id,
    ownerEmail: row.owner_email,
    ownerName: row.owner_name,
    name: row.name,
    description: row.description,
    type: row.assistant_type,
    metadata: row.api_callback,
    systemPrompt: row.system_prompt,
    promptTemplate: row.prompt_template,
    ragEndpoint: row.rag_endpoint,
    ragTopK: row.rag_top_k,
    ragCollections: row.rag_collections,
    preRetrievalEndpoint: row.pre_retrieval_endpoint,
    postRetrievalEndpoint: row.post_retrieval_endpoint,
    published: toPublication(row),
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
  };
}

export function toPublication(
  row: Pick<AssistantRow, 'published_name' | 'published_at' | 'group_id' | 'group_name' | 'oauth_consumer_name'>,
): AssistantPublication | null {
  if (row.published_name === null || row.published_at === null) return null;
  return {
    publishedName: row.published_name,
    publishedAt: row.published_at,
    groupId: row.group_id,
    groupName: row.group_name,
    oauthConsumerName: row.oauth_consumer_name,
  };
}

type ContentColumns = Partial<Pick<Selectable<AssistantTable>, (typeof columnOf)[keyof AssistantContent]>>;

/** Only what is content: the rest of a whole assistant that is passed in stays out. */
function toColumns(content: Partial<AssistantContent>): ContentColumns {
  const fields = Object.keys(columnOf) as (keyof AssistantContent)[];
  return Object.fromEntries(
    fields.filter((field) => content[field] !== undefined).map((field) => [columnOf[field], content[field]]),
  );
}

function explainTakenName(name?: string) {
  return (error: unknown): never => {
    if (findConstraint(error) !== 'assistants_owner_name_key') throw error;
    throw new AppError('name_taken', { details: name === undefined ? {} : { name }, cause: error });
  };
}
