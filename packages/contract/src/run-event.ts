import { z } from 'zod';
import { ErrorCode } from './errors/error-catalogue.ts';
import { AttributedSource } from './source.ts';

const envelope = {
  run_id: z.string(),
  seq: z.number().int().min(1),
  time: z.number(),
  /** The step of the run that it belongs to, such as `context` or `model:2`, and which attempt at it. */
  step: z.string(),
  attempt: z.number().int().min(1),
  /** Set on what another assistant did when it was called as a tool: the call it worked for. */
  parent_call_id: z.string().optional(),
};

const toolRef = { tool: z.string(), placeholder: z.string() };

/** `tool` is null when the model asked for a function that there is not. */
const callRef = { call_id: z.string(), name: z.string(), tool: z.string().nullable() };

/** Why a tool gave no result; the message is safe to show. */
export const ToolProblem = z.object({
  code: z.enum(['timeout', 'failed', 'invalid_result', 'invalid_config', 'cancelled']),
  message: z.string(),
});
export type ToolProblem = z.infer<typeof ToolProblem>;

/** Something to look at that a call produced beside its text. */
export const Artifact = z
  .object({
    kind: z.enum(['diff', 'image', 'file']),
    title: z.string(),
    text: z.string().optional(),
    url: z.string().optional(),
  })
  .meta({ id: 'Artifact' });
export type Artifact = z.infer<typeof Artifact>;

/** How a call ended. `unknown`: it was started and nobody heard how it ended, so whether it took effect cannot be told; it is not run again. */
export const CallOutcome = z.enum(['done', 'failed', 'refused', 'rejected', 'unknown']);
export type CallOutcome = z.infer<typeof CallOutcome>;

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

/** The numbers that an answer cites with `[n]`, in the order they first occur: those of a source, and those of none. */
export const Citations = z
  .object({ cited: z.array(z.number().int()), unknown: z.array(z.number().int()) })
  .meta({ id: 'Citations' });
export type Citations = z.infer<typeof Citations>;

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
    z.object({ ...envelope, type: z.literal('call.requested'), ...callRef }),
    z.object({
      ...envelope,
      type: z.literal('call.approval_required'),
      ...callRef,
      /** What it is called with, as the model wrote it: nobody decides about what they cannot see. */
      arguments: z.string().optional(),
    }),
    z.object({
      ...envelope,
      type: z.literal('call.finished'),
      ...callRef,
      outcome: CallOutcome,
      milliseconds: z.number(),
      chars: z.number().int(),
      problem: z.string().optional(),
      artifacts: z.array(Artifact).optional(),
    }),
    z.object({ ...envelope, type: z.literal('step.restarted') }),
    z.object({ ...envelope, type: z.literal('usage'), usage: Usage }),
    z.object({
      ...envelope,
      type: z.literal('run.finished'),
      finish_reason: z.string(),
      /** Only of a turn whose tools give numbered passages. */
      citations: Citations.optional(),
    }),
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
