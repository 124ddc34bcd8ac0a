import { z } from 'zod';
import { ToolDefinition } from '../tool-definition.ts';

const PromptProcessorDetails = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  /** What it fills by itself, such as `moodle_user`; no tool may claim these. */
  placeholders: z.array(z.string()),
});

/** The reply of `GET /lamb/v1/completions/list`: everything an assistant can be built from. */
export const CompletionsCatalogue = z
  .object({
    prompt_processors: z.array(z.string()),
    connectors: z.record(
      z.string(),
      z.object({
        title: z.string(),
        /** The models that the organisation offers; none listed means any. */
        models: z.array(z.string()),
        /** Whether the organisation has switched it on, or it needs nothing. */
        configured: z.boolean(),
      }),
    ),
    /** What answers when an assistant's own provider is not set up. */
    default_model: z.object({ provider: z.string(), model: z.string() }).nullable(),
    rag_processors: z.array(z.string()),
    tools: z.array(ToolDefinition),
    prompt_processor_details: z.array(PromptProcessorDetails),
    /** Where `simple_rag` searches: the organisation's own collections, or a knowledge-base server whose collections LAMB cannot list. */
    knowledge_base: z.enum(['own', 'external']),
  })
  .meta({ id: 'CompletionsCatalogue' });

/** The reply of `GET /lamb/v1/completions/tools`. */
export const ToolList = z.object({ tools: z.array(ToolDefinition), count: z.number().int() }).meta({ id: 'ToolList' });

/** The reply of `POST /lamb/v1/completions/tools/{name}/validate`. */
export const ConfigValidation = z
  .object({ valid: z.boolean(), errors: z.array(z.object({ path: z.string(), message: z.string() })) })
  .meta({ id: 'ConfigValidation' });
