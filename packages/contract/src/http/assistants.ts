import { z } from 'zod';
import { AssistantMetadata, Problem } from '../metadata/assistant-metadata.ts';
import { PageQuery, pageOf } from './paging.ts';

const text = (max: number) => z.string().max(max);

/** What a creator sends to make or change an assistant. Identity, ownership and times are the server's and are ignored. */
export const AssistantBody = z
  .object({
    name: text(200).trim().min(1, 'Give the assistant a name.'),
    description: text(10_000).default(''),
    system_prompt: text(200_000).default(''),
    prompt_template: text(200_000).default(''),
    metadata: z.union([z.string().max(500_000), z.record(z.string(), z.unknown())]).optional(),
    RAG_collections: text(10_000).nullish(),
    RAG_Top_k: z.number().int().min(1).max(100).nullish(),
  })
  .meta({ id: 'AssistantBody' });
export type AssistantBody = z.infer<typeof AssistantBody>;

/** A change to an assistant: what is left out stays. `version`, where given, refuses the change when someone else was faster. */
export const AssistantPatch = z
  .object({
    name: AssistantBody.shape.name.optional(),
    description: text(10_000).optional(),
    system_prompt: text(200_000).optional(),
    prompt_template: text(200_000).optional(),
    metadata: AssistantBody.shape.metadata,
    RAG_collections: AssistantBody.shape.RAG_collections,
    RAG_Top_k: AssistantBody.shape.RAG_Top_k,
    version: z.number().int().optional(),
  })
  .meta({ id: 'AssistantPatch' });
export type AssistantPatch = z.infer<typeof AssistantPatch>;

/** An assistant in a list. */
export const AssistantSummary = z
  .object({
    id: z.number().int(),
    name: z.string(),
    description: z.string(),
    owner: z.string(),
    owner_name: z.string(),
    assistant_type: z.enum(['classic', 'multi_tool']),
    /** The types of its enabled tools, each once; empty for those who may only use it. */
    tools: z.array(z.string()),
    /** It calls functions or asks others itself, so no other assistant may ask it. */
    tool_using: z.boolean(),
    published: z.boolean(),
    /** What it is to the one who asks. */
    is_owner: z.boolean(),
    shared_with_me: z.boolean(),
    /** Whether anybody has it shared with them; only its owner and administrators are told. */
    shared: z.boolean(),
    created_at: z.number().int(),
    updated_at: z.number().int(),
  })
  .meta({ id: 'AssistantSummary' });
export type AssistantSummary = z.infer<typeof AssistantSummary>;

/** An assistant with everything its creator works on, and what is wrong with it. */
export const Assistant = AssistantSummary.extend({
  organization_id: z.string(),
  system_prompt: z.string(),
  prompt_template: z.string(),
  metadata: AssistantMetadata,
  RAG_collections: z.string(),
  RAG_Top_k: z.number().int(),
  version: z.number().int(),
  published_at: z.number().int().nullable(),
  /** Set when it was made a multi-tool assistant of a classic one, and that can be undone. */
  conversion: z.object({ converted_at: z.number().int(), changed_since: z.boolean() }).nullable(),
  problems: z.array(Problem),
}).meta({ id: 'Assistant' });
export type Assistant = z.infer<typeof Assistant>;

/** An assistant as those see it who may use it: what a gallery and a chat need. */
export const AssistantCard = z
  .object({
    id: z.number().int(),
    name: z.string(),
    description: z.string(),
    owner_name: z.string(),
    /** The name of the model for OpenAI clients. */
    model: z.string(),
    vision: z.boolean(),
    /** Whether it works on files that the person puts into a workspace of their own. */
    workspace: z.boolean(),
    published: z.boolean(),
    /** Whether the viewer may see how its answers to them came about. */
    may_look: z.boolean(),
  })
  .meta({ id: 'AssistantCard' });
export type AssistantCard = z.infer<typeof AssistantCard>;

/** What a classic assistant would become as a multi-tool one; `differences` says where its prompt will not be the same. */
export const ConversionPreview = z
  .object({ metadata: AssistantMetadata, problems: z.array(Problem), differences: z.array(Problem) })
  .meta({ id: 'ConversionPreview' });
export type ConversionPreview = z.infer<typeof ConversionPreview>;

/** How a conversion is undone: with `discard_changes` also when the assistant was changed since. */
export const ConversionUndo = z.object({ discard_changes: z.boolean().default(false) }).meta({ id: 'ConversionUndo' });

/** How a list of assistants is asked for. */
export const AssistantListQuery = PageQuery.extend({
  scope: z.enum(['mine', 'shared', 'published', 'visible', 'organization']).default('visible'),
  type: z.enum(['classic', 'multi_tool']).optional(),
  search: z.string().max(200).optional(),
  sort: z.enum(['updated', 'created', 'name']).default('updated'),
});

/** A page of assistants. */
export const AssistantPage = pageOf(AssistantSummary).meta({ id: 'AssistantPage' });

/** The reply of `POST /lamb/v1/assistants/validate`. */
export const AssistantValidation = z
  .object({ valid: z.boolean(), problems: z.array(Problem), metadata: AssistantMetadata })
  .meta({ id: 'AssistantValidation' });

/** The people an assistant is shared with, by e-mail. */
export const ShareList = z.object({ emails: z.array(z.email()).max(500) }).meta({ id: 'ShareList' });

/** The file that export writes and import reads: one flat object, as existing installations exchange it. */
export const AssistantExport = z
  .looseObject({
    name: z.string().trim().min(1).max(200),
    description: z.string().nullish(),
    system_prompt: z.string(),
    prompt_template: z.string().nullish(),
    metadata: z.string(),
    RAG_collections: z.string().nullish(),
    RAG_Top_k: z.number().nullish(),
  })
  .meta({ id: 'AssistantExport' });
export type AssistantExport = z.infer<typeof AssistantExport>;

/** The reply of import: the new assistant, and what of the file was dropped. */
export const AssistantImportReport = z
  .object({ assistant: Assistant, dropped: z.array(z.string()) })
  .meta({ id: 'AssistantImportReport' });
