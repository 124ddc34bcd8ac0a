import type { Assistant, AssistantExport, AssistantSummary } from '@lamb/contract';
import type { Catalogue } from '@lamb/engine';
import type { AssistantSummary as StoredSummary, Assistant as StoredAssistant, TenantTx } from '@lamb/store';
import { toUnixSeconds } from '../http/to-unix-seconds.ts';
import { checkAssistant } from './prepare-assistant.ts';

type Summarised = Pick<
  StoredSummary,
  'id' | 'name' | 'description' | 'ownerEmail' | 'type' | 'published' | 'createdAt' | 'updatedAt'
>;

/** An assistant in a list. */
export function toAssistantSummary(assistant: Summarised): AssistantSummary {
  return {
    id: assistant.id,
    name: assistant.name,
    description: assistant.description,
    owner: assistant.ownerEmail,
    assistant_type: assistant.type,
    published: assistant.published !== null,
    created_at: toUnixSeconds(assistant.createdAt),
    updated_at: toUnixSeconds(assistant.updatedAt),
  };
}

/** An assistant as its creator sees it, with what is wrong with it. */
export async function toAssistantResource(
  tx: TenantTx,
  assistant: StoredAssistant,
  catalogue: Catalogue,
): Promise<Assistant> {
  const { metadata, problems } = await checkAssistant(tx, assistant, { ...assistant, columns: assistant }, catalogue);
  return {
    ...toAssistantSummary(assistant),
    organization_id: assistant.organizationId,
    system_prompt: assistant.systemPrompt,
    prompt_template: assistant.promptTemplate,
    metadata,
    RAG_collections: assistant.ragCollections,
    RAG_Top_k: assistant.ragTopK ?? 3,
    version: assistant.version,
    published_at: assistant.published ? toUnixSeconds(assistant.published.publishedAt) : null,
    problems,
  };
}

/** An assistant as one flat object, the way existing installations exchange it. */
export function toAssistantExport(assistant: StoredAssistant): AssistantExport {
  const { published } = assistant;
  return {
    id: assistant.id,
    organization_id: assistant.organizationId,
    name: assistant.name,
    description: assistant.description,
    owner: assistant.ownerEmail,
    api_callback: assistant.metadata,
    metadata: assistant.metadata,
    system_prompt: assistant.systemPrompt,
    prompt_template: assistant.promptTemplate,
    RAG_endpoint: assistant.ragEndpoint,
    RAG_Top_k: assistant.ragTopK ?? 3,
    RAG_collections: assistant.ragCollections,
    pre_retrieval_endpoint: assistant.preRetrievalEndpoint,
    post_retrieval_endpoint: assistant.postRetrievalEndpoint,
    created_at: toUnixSeconds(assistant.createdAt),
    updated_at: toUnixSeconds(assistant.updatedAt),
    group_id: published?.groupId ?? null,
    group_name: published?.groupName ?? null,
    oauth_consumer_name: published?.oauthConsumerName ?? null,
    published_at: published ? toUnixSeconds(published.publishedAt) : null,
    published: published !== null,
  };
}
