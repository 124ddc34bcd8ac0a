import type { MessagePart } from '@lamb/contract';

/** What is said, as a message has it: plain text, or text and pictures. */
export function toContent(text: string, pictures: readonly string[]): string | MessagePart[] {
  if (pictures.length === 0) return text;
  return [{ type: 'text', text }, ...pictures.map((url) => ({ type: 'image_url' as const, image_url: { url } }))];
}
