import {
  readMetadata,
  type Assistant,
  type AssistantCard,
  type AssistantExport,
  type AssistantMetadata,
  type AssistantSummary,
  type Principal,
} from '@lamb/contract';
import type { Catalogue } from '@lamb/engine';
import {
  getAssistantConversion,
  listAssistantShares,
  type Assistant as StoredAssistant,
  type AssistantAccess,
  type AssistantSummary as StoredSummary,
  type TenantTx,
} from '@lamb/store';
import { decide } from '../access/decide.ts';
import { toModelName } from '../completions/find-model.ts';
import { toUnixSeconds } from '../http/to-unix-seconds.ts';
import { usesTools } from './judge-callee.ts';
import { checkAssistant } from './prepare-assistant.ts';

type Described = Pick<
  StoredSummary,
  'id' | 'name' | 'description' | 'ownerEmail' | 'ownerName' | 'type' | 'published' | 'createdAt' | 'updatedAt'
>;
type Standing = Pick<StoredSummary, 'isOwner' | 'isShared' | 'hasShares'>;

/** An assistant in the list of somebody. */
export function toAssistantSummary(
  assistant: StoredSummary,
  viewer: Principal,
  catalogue: Catalogue,
): AssistantSummary {
  const { id, isOwner, isShared, published } = assistant;
  const mayRead = decide(viewer, 'assistant.read', { id, isOwner, isShared, isPublished: published !== null });
  const { metadata } = readMetadata(assistant.metadata, {});
  const tools = mayRead ? metadata.tools : [];
  return describe(assistant, assistant, { tools, isToolUsing: usesTools(metadata, catalogue) }, viewer);
}

function describe(
  assistant: Described,
  { isOwner, isShared, hasShares }: Standing,
  { tools, isToolUsing }: { tools: AssistantMetadata['tools']; isToolUsing: boolean },
  viewer: Principal,
): AssistantSummary {
  const standing = { id: assistant.id, isOwner, isShared, isPublished: assistant.published !== null };
  return {
    id: assistant.id,
    name: assistant.name,
    description: assistant.description,
    owner: assistant.ownerEmail,
    owner_name: assistant.ownerName,
    assistant_type: assistant.type,
    tools: [...new Set(tools.filter(({ enabled }) => enabled).map(({ type }) => type))],
    tool_using: isToolUsing,
    published: assistant.published !== null,
    is_owner: isOwner,
    shared_with_me: isShared,
    shared: hasShares && decide(viewer, 'assistant.share', standing),
    created_at: toUnixSeconds(assistant.createdAt),
    updated_at: toUnixSeconds(assistant.updatedAt),
  };
}

/** An assistant as those see it who may use it. */
export function toAssistantCard(access: AssistantAccess, viewer: Principal): AssistantCard {
  const { assistant } = access;
  const { metadata } = readMetadata(assistant.metadata, assistant);
  return {
    id: assistant.id,
    name: assistant.name,
    description: assistant.description,
    owner_name: assistant.ownerName,
    model: toModelName(assistant.id),
    vision: metadata.capabilities.vision,
    workspace: metadata.tools.some(({ type, enabled }) => enabled && type === 'patch_file'),
    published: assistant.published !== null,
    may_look: decide(viewer, 'trace.read', { id: assistant.id, ...access }),
  };
}

/** An assistant as its creator sees it, with what is wrong with it. */
export async function toAssistantResource(
  tx: TenantTx,
  assistant: StoredAssistant,
  viewer: Principal,
  catalogue: Catalogue,
): Promise<Assistant> {
  const { metadata, problems } = await checkAssistant(tx, assistant, { ...assistant, columns: assistant }, catalogue);
  const shares = await listAssistantShares(tx, assistant.id);
  const standing = {
    isOwner: assistant.ownerId === viewer.userId,
    isShared: shares.some(({ userId }) => userId === viewer.userId),
    hasShares: shares.length > 0,
  };
  const conversion = await getAssistantConversion(tx, assistant.id);
  return {
    ...describe(assistant, standing, { tools: metadata.tools, isToolUsing: usesTools(metadata, catalogue) }, viewer),
    organization_id: assistant.organizationId,
    system_prompt: assistant.systemPrompt,
    prompt_template: assistant.promptTemplate,
    metadata,
    RAG_collections: assistant.ragCollections,
    RAG_Top_k: assistant.ragTopK ?? 3,
    version: assistant.version,
    published_at: assistant.published ? toUnixSeconds(assistant.published.publishedAt) : null,
    conversion: conversion
      ? {
          converted_at: toUnixSeconds(conversion.createdAt),
          changed_since: conversion.version !== assistant.version,
        }
      : null,
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
