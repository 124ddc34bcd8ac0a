import { z } from 'zod';
import { ChatMessage } from '../chat-message.ts';
import { ErrorCode } from '../errors/error-catalogue.ts';
import { Artifact, CallOutcome, Citations, PromptSpan, RunEvent, ToolProblem, Usage } from '../run-event.ts';
import { RunTrace, ToolTrace } from '../run-trace.ts';
import { AttributedSource } from '../source.ts';
import { AssistantBody } from './assistants.ts';
import { CompletionBody, Sampling } from './chat-completions.ts';

/** A durable run. */
export const RunResource = z
  .object({
    id: z.string(),
    /** Null for an assistant that was never saved. */
    assistant_id: z.number().int().nullable(),
    chat_id: z.string().nullable(),
    status: z.enum(['running', 'waiting', 'finished', 'failed', 'cancelled']),
    /** Whether it ran an assistant as it stood in a form, not as it is saved. */
    draft: z.boolean(),
    /** The run whose conversation it repeats. */
    replay_of: z.string().nullable(),
    created_at: z.number().int(),
    finished_at: z.number().int().nullable(),
    /** Where to follow it, as server-sent events or by polling. */
    events_url: z.string(),
  })
  .meta({ id: 'RunResource' });
export type RunResource = z.infer<typeof RunResource>;

/** Which events of a run are asked for. `Last-Event-ID` does the same for a stream. */
export const RunEventsQuery = z.object({ after: z.coerce.number().int().min(0).optional() });

/** The events of a run so far, for those who poll. */
export const RunEventPage = z
  .object({ events: z.array(RunEvent), last_seq: z.number().int(), done: z.boolean() })
  .meta({ id: 'RunEventPage' });

/** A run so far, in one piece: what was said, found and called. Its events after `last_seq` go on from there. */
export const RunAnswer = z
  .object({
    run_id: z.string(),
    status: RunResource.shape.status,
    text: z.string(),
    sources: z.array(AttributedSource),
    citations: Citations.nullable(),
    tools: z.array(
      z.object({
        tool: z.string(),
        placeholder: z.string(),
        ok: z.boolean(),
        milliseconds: z.number(),
        problem: ToolProblem.optional(),
      }),
    ),
    calls: z.array(
      z.object({
        call_id: z.string(),
        name: z.string(),
        tool: z.string().nullable(),
        state: z.enum(['requested', 'waiting', ...CallOutcome.options]),
        /** While it waits: what it is to be called with. */
        arguments: z.string().optional(),
        milliseconds: z.number().optional(),
        problem: z.string().optional(),
        artifacts: z.array(Artifact).optional(),
      }),
    ),
    error: z
      .object({ code: ErrorCode, message: z.string(), details: z.record(z.string(), z.unknown()).optional() })
      .nullable(),
    last_seq: z.number().int(),
  })
  .meta({ id: 'RunAnswer' });
export type RunAnswer = z.infer<typeof RunAnswer>;

/** A decision about a call that waits for approval. */
export const CallDecision = z.object({ decision: z.enum(['approved', 'rejected']) }).meta({ id: 'CallDecision' });

/** An assistant as it stands in a form, and a conversation to try it with. */
export const DraftTurnBody = AssistantBody.extend({
  name: z.string().max(200).default(''),
  /** The assistant that is being changed; left out, it is a new one. */
  assistant_id: z.number().int().positive().optional(),
  messages: CompletionBody.shape.messages,
  ...Sampling.shape,
}).meta({ id: 'DraftTurnBody' });
export type DraftTurnBody = z.infer<typeof DraftTurnBody>;

/** What is to be different when a run is repeated. */
export const RunReplayBody = z
  .object({
    /** Tools to leave out: by their place in the assistant's list, or by the placeholder that they fill. */
    without_tools: z
      .array(z.union([z.number().int().min(0), z.string().max(64)]))
      .max(100)
      .default([]),
    model: z.object({ provider: z.string().max(100), model: z.string().max(300) }).optional(),
  })
  .meta({ id: 'RunReplayBody' });
export type RunReplayBody = z.infer<typeof RunReplayBody>;

/** A stretch of a message and what it cost. `text` is null for those who may not read this conversation. */
export const XraySpan = PromptSpan.omit({ message: true, role: true, origin: true })
  .extend({
    origin: z.enum([...PromptSpan.shape.origin.options, 'answer', 'call']),
    text: z.string().nullable(),
    cost_micros: z.number(),
    /** How long the tool took that it came from. */
    milliseconds: z.number().optional(),
    /** Whether the tool had more than it gave. */
    truncated: z.boolean().optional(),
    call_id: z.string().optional(),
  })
  .meta({ id: 'XraySpan' });
export type XraySpan = z.infer<typeof XraySpan>;

/** A call that the model made, with what it asked for and what it was told. */
export const XrayCall = z
  .object({
    call_id: z.string(),
    name: z.string(),
    tool: z.string().nullable(),
    arguments: z.string().nullable(),
    result: z.string().nullable(),
    outcome: CallOutcome.nullable(),
    milliseconds: z.number(),
    chars: z.number().int(),
    tokens: z.number().int(),
    truncated: z.boolean(),
    problem: z.string().optional(),
  })
  .meta({ id: 'XrayCall' });
export type XrayCall = z.infer<typeof XrayCall>;

/** One answer of the model: it was sent the first `messages` of the conversation. */
export const XrayTurn = z
  .object({
    messages: z.number().int(),
    /** The functions that it was offered. */
    offered: z.array(z.string()),
    answer: z.string().nullable(),
    calls: z.array(z.string()),
    finish_reason: z.string(),
    usage: Usage,
    milliseconds: z.number(),
    first_token_ms: z.number().nullable(),
    cost_micros: z.number(),
  })
  .meta({ id: 'XrayTurn' });
export type XrayTurn = z.infer<typeof XrayTurn>;

/** A function that the model was offered; `index` is the place of its tool in the assistant's list. */
export const XrayFunction = z
  .object({ index: z.number().int(), tool: z.string(), name: z.string() })
  .meta({ id: 'XrayFunction' });
export type XrayFunction = z.infer<typeof XrayFunction>;

/** All that is known of how an answer came about. */
export const RunXray = RunTrace.extend({
  tools: z.array(ToolTrace.extend({ tokens: z.number().int(), cost_micros: z.number(), truncated: z.boolean() })),
  /** Whether the texts are here: only for the person whose conversation it is. */
  has_texts: z.boolean(),
  /** Every message that was sent, in order, as the stretches it consists of. */
  messages: z.array(z.object({ role: ChatMessage.shape.role, images: z.number().int(), spans: z.array(XraySpan) })),
  turns: z.array(XrayTurn),
  functions: z.array(XrayFunction),
  calls: z.array(XrayCall),
  cost_micros: z.number(),
}).meta({ id: 'RunXray' });
export type RunXray = z.infer<typeof RunXray>;
