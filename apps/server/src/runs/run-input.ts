import { ChatMessage, Role, Sampling } from '@lamb/contract';
import { z } from 'zod';

const EndUser = z.object({
  id: z.string(),
  email: z.string().optional(),
  emailConfirmed: z.boolean().optional(),
  name: z.string().optional(),
  lmsUserId: z.string().optional(),
});

/** What a durable run keeps of how it began: who asked, the assistant as it was, the request. No secret is in it. */
export const RunInput = z.object({
  principal: z.object({
    userId: z.string(),
    email: z.string(),
    name: z.string(),
    organizationId: z.string(),
    role: Role,
    systemAdmin: z.boolean(),
    via: z.enum(['session', 'api_key']),
    keyId: z.string().optional(),
    assistants: z.union([z.literal('all'), z.array(z.number())]),
    endUser: EndUser,
  }),
  assistant: z.object({ systemPrompt: z.string(), promptTemplate: z.string(), metadata: z.string() }),
  /** Whether the assistant is one that stood in a form: then it is the person's, and nothing of it is looked up. */
  isDraft: z.boolean().default(false),
  /** Whether the texts of its prompts are kept, for the person to look at. */
  keepsTexts: z.boolean().default(false),
  /** The run whose conversation it repeats. */
  replayOf: z.string().optional(),
  request: z.object({ messages: z.array(ChatMessage), sampling: Sampling }),
});
export type RunInput = z.infer<typeof RunInput>;
