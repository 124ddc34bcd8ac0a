import { z } from 'zod';

const JsonSchema = z.record(z.string(), z.unknown());

/** A tool as the API, the web app and the documentation see it. */
export const ToolDefinition = z
  .object({
    name: z.string(),
    aliases: z.array(z.string()),
    display_name: z.string(),
    description: z.string(),
    category: z.string(),
    version: z.string(),
    modes: z.array(z.enum(['context', 'function'])),
    placeholder: z.string().nullable(),
    /** What a call changes; `once` asks for approval. Null for a tool that the model cannot call. */
    effect: z.enum(['none', 'idempotent', 'once']).nullable(),
    /** What the model sends with a call. */
    input_schema: JsonSchema.nullable(),
    templated: z.array(z.string()),
    config_schema: JsonSchema,
  })
  .meta({ id: 'ToolDefinition' });
export type ToolDefinition = z.infer<typeof ToolDefinition>;
