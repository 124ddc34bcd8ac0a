import { z } from 'zod';
import { ChatMessage } from '../chat-message.ts';
import { CompletionBody } from './chat-completions.ts';
import { pageOf } from './paging.ts';

/** What a person sends to begin a chat with an assistant. */
export const ChatBody = z
  .object({ assistant_id: z.number().int().positive(), title: z.string().trim().max(200).default('') })
  .meta({ id: 'ChatBody' });

/** A chat in a list. */
export const ChatResource = z
  .object({
    id: z.string(),
    assistant_id: z.number().int(),
    title: z.string(),
    created_at: z.number().int(),
    updated_at: z.number().int(),
  })
  .meta({ id: 'ChatResource' });
export type ChatResource = z.infer<typeof ChatResource>;

/** A page of chats. */
export const ChatPage = pageOf(ChatResource).meta({ id: 'ChatPage' });

/** A chat with what was said in it. */
export const ChatWithMessages = ChatResource.extend({
  messages: z.array(z.object({ message: ChatMessage, run_id: z.string().nullable(), created_at: z.number().int() })),
}).meta({ id: 'ChatWithMessages' });

/** What a person says next; the chat's history is the server's. */
export const ChatTurnBody = CompletionBody.omit({ messages: true, stream: true, stream_options: true, lamb: true })
  .extend({ content: ChatMessage.shape.content.unwrap().unwrap() })
  .meta({ id: 'ChatTurnBody' });
export type ChatTurnBody = z.infer<typeof ChatTurnBody>;
