import { z } from 'zod';
import { ChatMessage } from '../chat-message.ts';
import { CompletionBody, Sampling } from './chat-completions.ts';
import { PageQuery, pageOf } from './paging.ts';
import { RunResource } from './runs.ts';

/** What a person sends to begin a chat with an assistant. Without a title, the first question becomes it. */
export const ChatBody = z
  .object({ assistant_id: z.number().int().positive(), title: z.string().trim().max(200).default('') })
  .meta({ id: 'ChatBody' });

/** A new title for a chat. */
export const ChatPatch = z.object({ title: z.string().trim().min(1).max(200) }).meta({ id: 'ChatPatch' });

/** How a list of chats is asked for; `search` looks into titles and into what was said. */
export const ChatListQuery = PageQuery.extend({
  search: z.string().trim().min(1).max(200).optional(),
  assistant: z.coerce.number().int().positive().optional(),
});

/** A chat in a list. */
export const ChatResource = z
  .object({
    id: z.string(),
    assistant_id: z.number().int(),
    assistant_name: z.string(),
    title: z.string(),
    shared: z.boolean(),
    created_at: z.number().int(),
    updated_at: z.number().int(),
  })
  .meta({ id: 'ChatResource' });
export type ChatResource = z.infer<typeof ChatResource>;

/** A page of chats. */
export const ChatPage = pageOf(ChatResource).meta({ id: 'ChatPage' });

/** The link under which a chat is shared: what was said until `shared_at` can be read by whoever has the token. */
export const ChatShare = z.object({ token: z.string(), shared_at: z.number().int() }).meta({ id: 'ChatShare' });
export type ChatShare = z.infer<typeof ChatShare>;

/** Whether what was said again differently, or answered anew, is shown too. */
export const ChatQuery = z.object({ replaced: z.stringbool().default(false) });

/** A chat with what was said in it. */
export const ChatWithMessages = ChatResource.extend({
  messages: z.array(
    z.object({
      id: z.number().int(),
      message: ChatMessage,
      /** The run that said it, or that it was said to. */
      run_id: z.string().nullable(),
      run_status: RunResource.shape.status.nullable(),
      /** The run that took its place, where it was said again differently or answered anew. */
      replaced_by: z.string().nullable(),
      created_at: z.number().int(),
    }),
  ),
  /** The answer that is under way: follow its events to go on where you were. */
  active_run: RunResource.nullable(),
  share: ChatShare.nullable(),
}).meta({ id: 'ChatWithMessages' });

/** What a person says next; the chat's history is the server's. */
export const ChatTurnBody = CompletionBody.omit({ messages: true, stream: true, stream_options: true, lamb: true })
  .extend({
    content: ChatMessage.shape.content.unwrap().unwrap(),
    /** The question that is asked differently: it and all that followed it are kept, but no longer part of the chat. */
    replaces: z.number().int().positive().optional(),
  })
  .meta({ id: 'ChatTurnBody' });
export type ChatTurnBody = z.infer<typeof ChatTurnBody>;

/** How the last question is answered anew. */
export const RegenerateBody = Sampling.meta({ id: 'RegenerateBody' });

/** A chat as somebody reads it who has its link. */
export const SharedChat = z
  .object({
    title: z.string(),
    assistant_name: z.string(),
    shared_at: z.number().int(),
    messages: z.array(z.object({ role: z.enum(['user', 'assistant']), content: ChatMessage.shape.content })),
  })
  .meta({ id: 'SharedChat' });
