import { z } from 'zod';
import { ErrorCode } from './errors/error-catalogue.ts';
import { AttributedSource } from './source.ts';

const envelope = { run_id: z.string(), seq: z.number().int().min(1), time: z.number() };

const toolRef = { tool: z.string(), placeholder: z.string() };

/** Why a tool gave no result; the message is safe to show. */
export const ToolProblem = z.object({
  code: z.enum(['timeout', 'failed', 'invalid_result', 'invalid_config', 'cancelled']),
  message: z.string(),
});
export type ToolProblem = z.infer<typeof ToolProblem>;

/** Where one stretch of the rendered prompt came from. It carries sizes, never the text. */
export const PromptSpan = z
  .object({
    message: z.number().int(),
    role: z.string(),
    origin: z.enum(['system_prompt', 'history', 'template', 'user_input', 'tool', 'processor', 'image']),
    tool: z.string().optional(),
    placeholder: z.string().optional(),
    start: z.number().int(),
    chars: z.number().int(),
    tokens: z.number().int(),
  })
  .meta({ id: 'PromptSpan' });
export type PromptSpan = z.infer<typeof PromptSpan>;

/** Tokens of one model call; `estimated` when the provider did not count. */
export const Usage = z
  .object({
    prompt_tokens: z.number().int(),
    completion_tokens: z.number().int(),
    total_tokens: z.number().int(),
    estimated: z.boolean(),
  })
  .meta({ id: 'Usage' });
export type Usage = z.infer<typeof Usage>;

/** Everything that happens in a turn, as one sequence. Payloads carry safe identifiers only. */
export const RunEvent = z
  .discriminatedUnion('type', [
    z.object({ ...envelope, type: z.literal('run.started'), assistant_id: z.number(), model: z.string() }),
    z.object({ ...envelope, type: z.literal('status'), text: z.string(), tool: z.string().optional() }),
    z.object({ ...envelope, type: z.literal('tool.started'), ...toolRef }),
    z.object({
      ...envelope,
      type: z.literal('tool.finished'),
      ...toolRef,
      ok: z.boolean(),
      milliseconds: z.number(),
      chars: z.number().int(),
      problem: ToolProblem.optional(),
    }),
    z.object({ ...envelope, type: z.literal('source'), source: AttributedSource }),
    z.object({ ...envelope, type: z.literal('prompt.rendered'), messages: z.number().int(), chars: z.number().int() }),
    z.object({ ...envelope, type: z.literal('text.delta'), text: z.string() }),
    z.object({ ...envelope, type: z.literal('reasoning.delta'), text: z.string() }),
    z.object({ ...envelope, type: z.literal('usage'), usage: Usage }),
    z.object({ ...envelope, type: z.literal('run.finished'), finish_reason: z.string() }),
    z.object({
      ...envelope,
      type: z.literal('run.failed'),
      code: ErrorCode,
      message: z.string(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
    z.object({ ...envelope, type: z.literal('run.cancelled') }),
  ])
  .meta({ id: 'RunEvent' });
export type RunEvent = z.infer<typeof RunEvent>;

/** One kind of run event. */
export type RunEventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;
