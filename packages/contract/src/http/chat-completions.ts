import { z } from 'zod';
import { ChatMessage } from '../chat-message.ts';
import { Citations } from '../run-event.ts';
import { AttributedSource } from '../source.ts';

/** Parameters that go to the model as they came. */
export const Sampling = z.object({
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_tokens: z.number().int().min(1).nullish(),
  max_completion_tokens: z.number().int().min(1).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(16)]).nullish(),
  presence_penalty: z.number().nullish(),
  frequency_penalty: z.number().nullish(),
  seed: z.number().int().nullish(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
  reasoning_effort: z.string().nullish(),
});
export type Sampling = z.infer<typeof Sampling>;

/** How a caller of the OpenAI-compatible API wants to see what the assistant is doing. */
export const LambOptions = z.object({
  status: z.enum(['events', 'reasoning', 'none']).default('events'),
  /** Answers at once with the run (202), which goes on by itself. A reply that waits for a person's approval is answered the same way. */
  background: z.boolean().default(false),
});

/** The body of `POST /lamb/v1/completions`. */
export const CompletionBody = z
  .object({
    messages: z.array(ChatMessage).min(1, 'Send at least one message.').max(2000),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
    lamb: LambOptions.optional(),
    ...Sampling.shape,
  })
  .meta({ id: 'CompletionBody' });
export type CompletionBody = z.infer<typeof CompletionBody>;

/** The body of `POST /v1/chat/completions`: `model` names an assistant. */
export const ChatCompletionBody = CompletionBody.extend({ model: z.string().min(1).max(300) }).meta({
  id: 'ChatCompletionBody',
});
export type ChatCompletionBody = z.infer<typeof ChatCompletionBody>;

/** The reply to a request without `stream`. */
export const ChatCompletion = z
  .object({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.number().int(),
    model: z.string(),
    choices: z.array(
      z.object({
        index: z.number().int(),
        message: z.object({
          role: z.literal('assistant'),
          content: z.string(),
          reasoning_content: z.string().optional(),
        }),
        finish_reason: z.string(),
      }),
    ),
    usage: z.object({
      prompt_tokens: z.number().int(),
      completion_tokens: z.number().int(),
      total_tokens: z.number().int(),
    }),
    lamb: z.object({
      run_id: z.string(),
      sources: z.array(AttributedSource),
      problems: z.array(z.object({ tool: z.string(), placeholder: z.string(), code: z.string(), message: z.string() })),
      citations: Citations.optional(),
    }),
  })
  .meta({ id: 'ChatCompletion' });
export type ChatCompletion = z.infer<typeof ChatCompletion>;

/** One entry of `GET /v1/models`. */
export const ModelEntry = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    created: z.number().int(),
    owned_by: z.literal('lamb_v4'),
    parent: z.null(),
    name: z.string(),
    capabilities: z.object({ vision: z.boolean(), image_generation: z.boolean() }),
  })
  .meta({ id: 'ModelEntry' });
export type ModelEntry = z.infer<typeof ModelEntry>;

/** The reply of `GET /v1/models`. */
export const ModelList = z.object({ object: z.literal('list'), data: z.array(ModelEntry) }).meta({ id: 'ModelList' });
