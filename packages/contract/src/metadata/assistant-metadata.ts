import { z } from 'zod';

/** How a tool takes part in a turn: it gathers context before the model speaks, or the model calls it. */
export const ToolMode = z.enum(['context', 'function']);
export type ToolMode = z.infer<typeof ToolMode>;

/** One tool of an assistant, in the one shape that is written. Unknown keys survive. */
export const ToolEntry = z
  .looseObject({
    type: z.string().min(1),
    mode: ToolMode,
    enabled: z.boolean(),
    placeholder: z.string().optional(),
    timeout_ms: z.number().int().min(1).max(600_000).optional(),
    fallback: z.string().optional(),
    /** False lets a function that changes something run without asking; for those that declare they need approval. */
    approval: z.boolean().optional(),
    config: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'ToolEntry' });
export type ToolEntry = z.infer<typeof ToolEntry>;

/** What bounds one turn. */
export const Limits = z
  .looseObject({
    max_iterations: z.number().int().min(1).max(50).optional(),
    max_calls: z.number().int().min(1).max(500).optional(),
    deadline_ms: z.number().int().min(1000).max(3_600_000).optional(),
  })
  .meta({ id: 'Limits' });

/** The assistant's metadata in the one shape that is written. Every earlier shape is read by `readMetadata`. */
export const AssistantMetadata = z
  .looseObject({
    _format_version: z.literal(2),
    assistant_type: z.enum(['classic', 'multi_tool']),
    prompt_processor: z.string(),
    connector: z.string(),
    llm: z.string(),
    capabilities: z.looseObject({ vision: z.boolean(), image_generation: z.boolean() }),
    verbose: z.boolean(),
    limits: Limits.optional(),
    tools: z.array(ToolEntry),
  })
  .meta({ id: 'AssistantMetadata' });
export type AssistantMetadata = z.infer<typeof AssistantMetadata>;

/** What can be wrong with an assistant, for programs and for those who say it in another language. */
export const ProblemCode = z.enum([
  'unreadable_metadata',
  'unreadable_value',
  'unknown_tool',
  'unknown_connector',
  'unknown_processor',
  'not_context',
  'not_function',
  'config',
  'function_name',
  'function_name_taken',
  'classic_tools',
  'classic_placeholder',
  'name_grammar',
  'name_user_input',
  'name_reserved',
  'name_taken',
  'self_reference',
  'cycle',
  'unfilled',
  'unused',
  'no_user_input',
  'sources_left_out',
  'callee_self',
  'callee_missing',
  'callee_uses_tools',
  'callees_too_many',
]);
export type ProblemCode = z.infer<typeof ProblemCode>;

/** Something about an assistant that its creator should see; `error` refuses a save, `warning` does not. `params` are the names and numbers in the message. */
export const Problem = z
  .object({
    severity: z.enum(['error', 'warning']),
    path: z.string(),
    code: ProblemCode,
    params: z.record(z.string(), z.string()),
    message: z.string(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof Problem>;
