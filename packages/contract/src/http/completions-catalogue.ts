import { z } from 'zod';
import { ToolDefinition } from '../tool-definition.ts';

const Named = z.object({ name: z.string(), title: z.string(), description: z.string() });

/** The reply of `GET /lamb/v1/completions/list`: everything an assistant can be built from. */
export const CompletionsCatalogue = z
  .object({
    prompt_processors: z.array(z.string()),
    connectors: z.record(z.string(), z.object({ title: z.string(), models: z.array(z.string()) })),
    rag_processors: z.array(z.string()),
    tools: z.array(ToolDefinition),
    prompt_processor_details: z.array(Named),
  })
  .meta({ id: 'CompletionsCatalogue' });

/** The reply of `GET /lamb/v1/completions/tools`. */
export const ToolList = z.object({ tools: z.array(ToolDefinition), count: z.number().int() }).meta({ id: 'ToolList' });

/** The reply of `POST /lamb/v1/completions/tools/{name}/validate`. */
export const ConfigValidation = z
  .object({ valid: z.boolean(), errors: z.array(z.object({ path: z.string(), message: z.string() })) })
  .meta({ id: 'ConfigValidation' });
