import { z } from 'zod';

/** Text inside a multimodal message. */
export const TextPart = z.object({ type: z.literal('text'), text: z.string() });

/** An image inside a multimodal message, by address or as a data URL. */
export const ImagePart = z.object({
  type: z.literal('image_url'),
  image_url: z.object({ url: z.string(), detail: z.enum(['auto', 'low', 'high']).optional() }),
});

/** One part of a multimodal message. */
export const MessagePart = z.discriminatedUnion('type', [TextPart, ImagePart]);
export type MessagePart = z.infer<typeof MessagePart>;

/** A function call that the model asked for. */
export const ToolCall = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
export type ToolCall = z.infer<typeof ToolCall>;

/** One message of a conversation, in the shape the whole system uses between its two borders. */
export const ChatMessage = z
  .object({
    role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
    content: z.union([z.string(), z.array(MessagePart)]).nullish(),
    name: z.string().optional(),
    tool_calls: z.array(ToolCall).optional(),
    tool_call_id: z.string().optional(),
  })
  .meta({ id: 'ChatMessage' });
export type ChatMessage = z.infer<typeof ChatMessage>;

/** The text of a message: its text parts joined by a space. */
export function messageText(message: Pick<ChatMessage, 'content'>): string {
  const { content } = message;
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
}
